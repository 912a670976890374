// Every folder of tests/cases/studyfile holds a study.yaml and, in expected.txt, what reading it says: `ok`, followed
// by its warnings, or the one problem. The case's own folder is left out of the text. What an artifact that is extended
// would bring stands in its parent.json.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>

#include "kernel/codec/json_types.h"
#include "studyfile/load.h"
#include "tests/places.h"

namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

std::string without(std::string text, const std::string& folder) {
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
    text.erase(at, folder.size());
  return text;
}

kernel::Result<kernel::Extended> parent_in(const std::string& source) {
  const std::string text = content(fs::path(source) / "parent.json");
  if (text.empty())
    return kernel::Problem{"", 0, "", "no artifact was imported as `" + source + "`", "name its folder"};
  auto parent = nlohmann::json::parse(text).get<kernel::Extended>();
  parent.source = source;
  return parent;
}

std::string said_of(const fs::path& folder) {
  const kernel::Result<studyfile::Parsed> parsed =
      studyfile::read((folder / "study.yaml").string(), studyfile::Use::study, "", parent_in);
  std::string said = parsed ? "ok" : parsed.problem().text();
  if (parsed)
    for (const kernel::Problem& warning : parsed->warnings) said += "\n" + warning.text();
  return without(said + "\n", folder.string() + "/");
}

}  // namespace

TEST_CASE("each study file is taken, or refused with its one expected error") {
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(tests::source_dir() + "/tests/cases/studyfile")) {
    INFO(entry.path().filename().string());
    CHECK(said_of(entry.path()) == content(entry.path() / "expected.txt"));
    ++cases;
  }
  CHECK(cases >= 300);
}

TEST_CASE("every example's study file is taken without a warning") {
  for (const auto& entry : fs::directory_iterator(tests::source_dir() + "/examples")) {
    if (!fs::exists(entry.path() / "study.yaml")) continue;
    INFO(entry.path().string());
    CHECK(said_of(entry.path()) == "ok\n");
  }
}

TEST_CASE("the example of docs/study-file.md is taken") {
  const std::string page = content(tests::source_dir() + "/docs/study-file.md");
  const std::size_t start = page.find("```yaml\n") + 8, end = page.find("```\n", start);
  REQUIRE(end != std::string::npos);
  const auto parsed = studyfile::read_text(page.substr(start, end - start), "study.yaml", tests::source_dir());
  CHECK((parsed ? "" : parsed.problem().text()) == "");
}

TEST_CASE("an error in the middle of every sound study is shown with its own line") {
  for (const auto& entry : fs::directory_iterator(tests::source_dir() + "/tests/cases/studyfile")) {
    if (entry.path().filename().string().rfind("ok-", 0) != 0) continue;
    INFO(entry.path().filename().string());
    const std::string text = content(entry.path() / "study.yaml");
    const auto lines = std::count(text.begin(), text.end(), '\n');
    const auto parsed = studyfile::read_text(text + "colour: red\n", "study.yaml", entry.path().string());
    REQUIRE_FALSE(parsed);
    CHECK(parsed.problem().line == lines + 1);
    CHECK(parsed.problem().what == "colour");
  }
}
