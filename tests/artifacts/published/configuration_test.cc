// .ara-check.toml: selectors, severities, what is refused, and where the file is looked for.
#include "artifacts/published/configuration.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include "base/scratch_folder.h"

namespace fs = std::filesystem;
using artifacts::Severity;
using namespace artifacts::published;

namespace {

Configuration parsed(const std::string& text) {
  auto result = Configuration::parse(text, "x.toml");
  if (!result) FAIL(result.problem().text());
  return *result;
}

std::string trouble(const std::string& text) {
  const auto result = Configuration::parse(text, "x.toml");
  return result ? "" : result.problem().text();
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("without keys every rule is reported as the table says") {
  const Configuration plain = parsed("");
  for (const PublishedRule& rule : rules()) {
    CHECK(plain.of(rule.code).reported);
    CHECK(plain.of(rule.code).severity == rule.severity);
    CHECK(plain.of(rule.code).fixable == rule.fixable);
  }
}

TEST_CASE("the longest selector decides, and ignore wins a tie") {
  const Configuration one = parsed("select = [\"ARA\", \"ARA211\"]\nignore = [\"ARA2\"]\n");
  CHECK(one.of(Code::ARA105).reported);
  CHECK_FALSE(one.of(Code::ARA212).reported);
  CHECK(one.of(Code::ARA211).reported);
  CHECK_FALSE(parsed("ignore = [\"ARA\"]").of(Code::ARA100).reported);
  CHECK_FALSE(parsed("select = []").of(Code::ARA100).reported);
  CHECK(parsed("select = [\"ARA21\"]").of(Code::ARA215).reported);
  CHECK_FALSE(parsed("select = [\"ARA21\"]").of(Code::ARA201).reported);
}

TEST_CASE("fixable and unfixable narrow what can be corrected, and never widen it") {
  const Configuration one = parsed("unfixable = [\"ARA001\"]\n");
  CHECK_FALSE(one.of(Code::ARA001).fixable);
  CHECK(one.of(Code::ARA002).fixable);
  CHECK_FALSE(parsed("fixable = [\"ARA105\"]").of(Code::ARA105).fixable);
  CHECK_FALSE(parsed("fixable = [\"ARA004\"]").of(Code::ARA001).fixable);
}

TEST_CASE("a severity holds for what the longest key fits") {
  const Configuration one = parsed("[severity]\nARA2 = \"error\"\nARA207 = \"warning\"\nARA002 = \"warning\"\n");
  CHECK(one.of(Code::ARA201).severity == Severity::error);
  CHECK(one.of(Code::ARA207).severity == Severity::warning);
  CHECK(one.of(Code::ARA002).severity == Severity::warning);
  CHECK(one.of(Code::ARA105).severity == Severity::error);
}

TEST_CASE("what is not understood is one clear problem") {
  CHECK(trouble("selct = []") == "x.toml:1: 'selct': there is no such key: did you mean `select`?");
  CHECK(trouble("\nignore = [\"ARA3\"]").starts_with("x.toml:2: ignore: 'ARA3' fits no rule"));
  for (const char* text :
       {"select = [\"ARA999\"]", "select = [\"ara107\"]", "select = [\"ARA1070\"]", "select = [\"\"]",
        "select = \"ARA\"", "select = [1]", "severity = \"error\"", "[severity]\nARA2 = \"info\"",
        "[severity]\nARA2 = 1", "[severity]\nX = \"error\"", "select = [", "select = []\nselect = []"})
    CHECK(trouble(text) != "");
}

TEST_CASE("the nearest file up to the root of the repository is taken") {
  const kernel::ScratchFolder scratch = kernel::ScratchFolder::in_tmp("etude-published-");
  const fs::path root = scratch.path();
  const auto found = [](const fs::path& folder, const ConfigurationChoice& choice = {}) {
    const auto result = find_configuration(folder.string(), choice);
    return result ? result->path() : "problem: " + result.problem().file;
  };
  const fs::path ara = root / "repo" / "docs" / "ara";
  fs::create_directories(ara);
  write(root / ".ara-check.toml", "ignore = [\"ARA2\"]");
  CHECK(found(ara) == "");  // no repository
  fs::create_directories(root / "repo" / ".git");
  CHECK(found(ara) == "");  // above the repository
  write(root / "repo" / ".ara-check.toml", "ignore = [\"ARA2\"]");
  CHECK(found(ara) == (fs::canonical(root) / "repo" / ".ara-check.toml").string());
  CHECK(found(ara, {.path = {}, .ignored = true}) == "");
  write(ara / ".ara-check.toml", "");
  CHECK(found(ara) == (fs::canonical(ara) / ".ara-check.toml").string());
  CHECK(found(ara, {.path = (root / "none.toml").string(), .ignored = false}).starts_with("problem: "));
  fs::remove(ara / ".ara-check.toml");
  fs::create_symlink("gone", ara / ".ara-check.toml");
  CHECK(found(ara).starts_with("problem: "));
}
