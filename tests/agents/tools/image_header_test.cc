// Pictures: what they are by their bytes, and how a line of work keeps them.
#include "agents/thinking/tools/file_formats.h"
#include "tests/agents/thoughtful.h"
#include "tests/agents/toolbox.h"

using namespace thoughtful;

namespace {

template <std::size_t n>
std::string raw(const char (&literal)[n]) {
  return std::string(literal, n - 1);
}

const std::string png = raw("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0");

std::string size_of(const std::string& bytes) {
  const auto picture = agents::image_header_of(bytes);
  return picture ? picture->media_type + " " + std::to_string(picture->width) + "x" + std::to_string(picture->height)
                 : "none";
}

}  // namespace

TEST_CASE("a picture is known by its first bytes, and its size is read without the rest") {
  CHECK(size_of(png) == "image/png 640x480");
  CHECK(size_of(raw("GIF89a\x05\0\x04\x01")) == "image/gif 5x260");
  CHECK(size_of(raw("\xff\xd8\xff\xe0\0\x04xx\xff\xff\xc2\0\x0b\x08\0\x10\0\x20\x03")) == "image/jpeg 32x16");
  CHECK(size_of(raw("RIFF....WEBPVP8X\x0a\0\0\0\0\0\0\0\x3f\0\0\x1f\0\0 ")) == "image/webp 64x32");
  CHECK(size_of(raw("RIFF....WEBPVP8L\0\0\0\0\x2f\x3f\xc0\x07\0        ")) == "image/webp 64x32");
  CHECK(size_of(raw("RIFF....WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x40\0\x20\0 ")) == "image/webp 64x32");
  // Cut anywhere, or with lengths that lie: no size, and no byte beyond the end.
  for (std::size_t n = 0; n < 20; ++n) CHECK(size_of(png.substr(0, n)) == "none");
  CHECK(size_of(raw("\xff\xd8\xff\xe0\0\0xxxxxxxx")) == "none");
  CHECK(size_of(raw("\xff\xd8\xff\xe0\xff\xffxxxxxxxx")) == "none");
  CHECK(size_of("\xff\xd8" + std::string(1000, '\xff')) == "none");
  CHECK(size_of("GIF89a") == "none");
  CHECK(size_of("<svg width=\"3\"/>") == "none");
  CHECK(size_of(raw("RIFF....WEBPABCD\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")) == "none");
}

TEST_CASE("who takes no pictures is told so; nor is a picture too large, or one that was written on the branch") {
  const std::string huge = raw("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x01\0\0\0\0\0\x01");
  agents::Branch branch = toolbox::of(
      {{"a.png", png}, {"huge.png", huge}, {"big.png", png + std::string(4 << 20, 'x')}, {"a.txt", "text"}});
  const auto view = [&](const char* path, agents::Means means) {
    const agents::ToolResult result =
        agents::use_tool({"c", "view_image", json({{"path", path}}).dump()}, "hypothesis", nullptr, branch, means);
    CHECK(result.refused == result.images.empty());
    return result.text;
  };
  CHECK(view("a.png", {}).find("takes no pictures: its configuration does not say `images`") != std::string::npos);
  CHECK(view("a.png", {true, 1}).find("640 × 480 pixels") != std::string::npos);
  CHECK(view("a.png", {true, 0}).find("as many pictures") != std::string::npos);
  CHECK(view("huge.png", {true, 1}).find("65536 × 1 pixels, and the limit is 8000") != std::string::npos);
  CHECK(view("big.png", {true, 1}).find("the limit is 3 MB") != std::string::npos);
  CHECK(view("a.txt", {true, 1}).find("it is not a picture") == 0);
  CHECK(view("../a.png", {true, 1}).find("there is no such file") == 0);
  CHECK(branch.write("b.gif", "GIF89a\x05\x01\x04\x01").empty());
  CHECK(view("b.gif", {true, 1}).find("as it was frozen") != std::string::npos);
  const auto offers = [](bool sees) {
    const auto tools = agents::tools_of("hypothesis", {sees, 1});
    return std::any_of(tools.begin(), tools.end(), [](const models::Tool& tool) { return tool.name == "view_image"; });
  };
  CHECK(offers(true));
  CHECK_FALSE(offers(false));
}

TEST_CASE("killed at every commit, a line of work sees the same picture again, and no request carries a copy") {
  const auto looking = [](const models::Request& request, int n) -> models::ModelOutcome {
    return said_before(request) == 1 ? calling("view_image", R"({"path":"curve.png"})") : proposing(request, n);
  };
  int commits = 0;
  for (int at = 0; at <= commits; ++at) {
    if (at == 1) continue;  // Nothing is stored before.
    Thoughtful t(looking);
    t.sees = true;
    t.picture = png;
    t.blobs[kernel::sha256_hex(png)] = png;
    t.world.open(thinking_spec());
    t.world.fail_at_commit = at;
    if (at > 0) {
      CHECK_THROWS(t.live());
      t.world.inbox.take(1);
      t.world.take_up();
    }
    t.live([&](const kernel::State& s) { return s.study("s1") && s.study("s1")->proposals_closed; });
    if (at == 0) commits = t.world.commits;
    INFO("killed at commit " << at << " of " << commits);
    const auto asked = t.model->asked();
    int with_picture = 0;
    for (const models::Request& request : asked) {
      int pictures = 0;
      for (const models::Message& message : request.messages)
        for (const models::ToolAnswer& answer : message.answers)
          for (const models::Image& image : answer.images) pictures += image.bytes == png ? 1 : 100;
      CHECK(pictures == (said_before(request) >= 2 ? 1 : 0));
      with_picture += pictures;
    }
    CHECK(with_picture >= 3);
    for (const auto& [hash, blob] : t.blobs) CHECK(blob.find("iVBORw0KGgo") == std::string::npos);
  }
  CHECK(commits > 12);
}
