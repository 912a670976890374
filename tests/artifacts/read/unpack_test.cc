// Zips from strangers: what they hold lies below a folder of its own, or nothing of them is there at all.
#include "artifacts/read/unpack.h"

#include <cstdlib>
#include <fstream>
#include <vector>

#include <archive.h>
#include <archive_entry.h>
#include <catch2/catch.hpp>
#include <fcntl.h>

#include "artifacts/audit/audit.h"
#include "artifacts/read/zip_directory.h"
#include "tests/artifacts/samples/scratch.h"

namespace {

namespace fs = std::filesystem;

struct Member {
  std::string name;
  std::string bytes;  ///< Of a link, where it leads.
  unsigned type = AE_IFREG;
};

/// A folder that is also what TMPDIR names, so that what is unpacked can be seen, and that it goes.
class Place {
 public:
  Place() {
    std::string name = (fs::temp_directory_path() / "etude-unpack-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()));
    path_ = name;
    fs::create_directory(path_ / "tmp");
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", (path_ / "tmp").c_str(), 1);
  }
  ~Place() {
    before_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before_.c_str(), 1);
    fs::remove_all(path_);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  std::string zip(const std::vector<Member>& members) const {
    const std::string path = (path_ / "a.zip").string();
    archive* out = archive_write_new();
    archive_write_set_format_zip(out);
    REQUIRE(archive_write_open_filename(out, path.c_str()) == ARCHIVE_OK);
    for (const Member& member : members) {
      archive_entry* entry = archive_entry_new();
      archive_entry_set_pathname(entry, member.name.c_str());
      archive_entry_set_filetype(entry, member.type);
      archive_entry_set_perm(entry, 0644);
      if (member.type == AE_IFLNK) archive_entry_set_symlink(entry, member.bytes.c_str());
      if (member.type == AE_IFREG) archive_entry_set_size(entry, static_cast<la_int64_t>(member.bytes.size()));
      REQUIRE(archive_write_header(out, entry) == ARCHIVE_OK);
      if (member.type == AE_IFREG) archive_write_data(out, member.bytes.data(), member.bytes.size());
      archive_entry_free(entry);
    }
    REQUIRE(archive_write_close(out) == ARCHIVE_OK);
    archive_write_free(out);
    return path;
  }
  /// Why it is refused; empty: it is not. Nothing is left of it either way.
  std::string refused(const std::vector<Member>& members, const artifacts::UnpackLimits& limits = {}) const {
    std::string why;
    {
      const auto arrived = artifacts::Arrived::open(zip(members), limits);
      if (!arrived) why = arrived.problem().why;
    }
    CHECK(fs::is_empty(path_ / "tmp"));
    CHECK(fs::directory_iterator(path_) != fs::directory_iterator());
    CHECK_FALSE(fs::exists(path_ / "evil"));
    return why;
  }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
  std::string before_;
};

/// A folder's files as members below `top`.
std::vector<Member> members_of(const fs::path& folder, const std::string& top) {
  std::vector<Member> members;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      members.push_back({top + fs::relative(entry.path(), folder).string(), read_all(entry.path())});
  return members;
}

TEST_CASE("a zip is checked and audited as the folder that it holds", "[artifacts]") {
  const Scratch scratch;  // Before TMPDIR is another.
  const Place place;
  for (const std::string top : {"", "ara/"}) {
    const auto report = artifacts::check(place.zip(members_of(scratch.path(), top)));
    REQUIRE(report);
    CHECK(report->findings.size() == scratch.check().findings.size());
    CHECK(report->ok);
  }
  scratch.remove("logic/claims.md");
  const std::string path = place.zip(members_of(scratch.path(), "ara/"));
  const auto broken = artifacts::audit(path, {});
  REQUIRE(broken);
  CHECK(find(*broken, "missing-file"));
  CHECK(broken->artifact == path);
  CHECK(fs::is_empty(place / "tmp"));
}

TEST_CASE("nothing of a zip can lie elsewhere", "[artifacts]") {
  const Place place;
  const std::string outside = (place / "evil").string();
  for (const std::string name : {"../evil", "a/../../evil", "a/..", "..\\evil", outside.c_str()})
    CHECK(place.refused({{"PAPER.md", "x"}, {name, "y"}}).find("would lie elsewhere") != std::string::npos);
  for (const std::string target : {"../evil", "/etc/passwd", "a/../../evil", ""})
    CHECK(place.refused({{"PAPER.md", "x"}, {"out", target, AE_IFLNK}}) != "");
  // By way of another link, which itself stays inside.
  CHECK(place.refused({{"d/x", "..", AE_IFLNK}, {"d/y", "x/../../evil", AE_IFLNK}}).find("leads out") !=
        std::string::npos);
  CHECK(place.refused({{"loop", "loop", AE_IFLNK}}).find("nowhere") != std::string::npos);
  // Not through a link, whichever comes first.
  CHECK(place.refused({{"d", ".", AE_IFLNK}, {"d/evil", "x"}}).find("there twice") != std::string::npos);
  CHECK(place.refused({{"d/evil", "x"}, {"d", ".", AE_IFLNK}}).find("there twice") != std::string::npos);
  CHECK(place.refused({{"a", "x"}, {"./a", "y"}}).find("there twice") != std::string::npos);
  CHECK(place.refused({{"a", "x"}, {"a/b", "y"}}).find("there twice") != std::string::npos);
  CHECK(place.refused({{"d/a", "x"}, {"inside", "d/a", AE_IFLNK}}).empty());
}

TEST_CASE("how much a zip may hold is bounded", "[artifacts]") {
  const Place place;
  const std::string large(3'000'000, '0');  // 3 kB of zip.
  CHECK(place.refused({{"a", large}}, {.bytes = 3'000'000}).empty());
  CHECK(place.refused({{"a", large}, {"b", "x"}}, {.bytes = 3'000'000}).find("holds more than") != std::string::npos);
  CHECK(place.refused({{"a", "x"}, {"b", "x"}, {"c", "x"}}, {.entries = 2}).find("more than 2 entries") !=
        std::string::npos);
  std::string deep = "a";
  for (int i = 0; i < 70; ++i) deep += "/a";
  CHECK(place.refused({{deep, "x"}}).find("deep") != std::string::npos);
  CHECK(place.refused({}) != "");
}

TEST_CASE("a zip with too many entries is refused by its directory, before anything is unpacked", "[artifacts]") {
  const Place place;
  const std::string path = place.zip({{"a", "x"}, {"b", "x"}, {"c", "x"}});
  const auto count = [&](std::uint64_t most) {
    const kernel::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return artifacts::entries_of_zip(file.get(), most);
  };
  const auto refused = [&] {
    const auto arrived = artifacts::Arrived::open(path, {.entries = 2});
    return arrived ? "" : arrived.problem().why;
  };
  CHECK(count(10) == 3);
  // Nothing of its files can be read any more, and it is refused for their number.
  std::string bytes = read_all(path);
  const std::size_t directory = bytes.find("PK\x01\x02"), end = bytes.rfind("PK\x05\x06");
  REQUIRE((directory != std::string::npos && end != std::string::npos));
  std::fill(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(directory), '\0');
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  CHECK(refused() == "it holds more than 2 entries");
  // A directory that states fewer entries than stand there.
  for (const std::size_t at : {end + 8, end + 10}) bytes[at] = 1;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  CHECK(count(10) == 3);
  CHECK(count(1) == 2);
  CHECK(refused() == "it holds more than 2 entries");
  // One that states more.
  for (const std::size_t at : {end + 9, end + 11}) bytes[at] = 1;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  CHECK(count(10) == 257);
  // Something stands before the zip, as in archives that unpack themselves.
  std::ofstream(path, std::ios::binary | std::ios::trunc) << "#!/bin/sh\n" + bytes;
  CHECK(count(1000) == 257);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << "no zip at all";
  CHECK(count(10) == 0);
}

TEST_CASE("what is no zip, or half of one, is refused", "[artifacts]") {
  const Place place;
  const std::string path = place.zip({{"PAPER.md", std::string(5000, 'x') + "end"}, {"logic/claims.md", "# Claims\n"}});
  const std::string whole = read_all(path);
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    CHECK_FALSE(artifacts::Arrived::open(path));
  }
  std::ofstream(path, std::ios::binary | std::ios::trunc) << "no zip at all";
  const auto arrived = artifacts::Arrived::open(path);
  REQUIRE_FALSE(arrived);
  CHECK(arrived.problem().why == "it is neither a folder nor a zip");
  CHECK(fs::is_empty(place / "tmp"));
}

}  // namespace
