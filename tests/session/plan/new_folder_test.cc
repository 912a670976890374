#include "apps/session/plan/new_folder.h"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "tests/cli/draft/temp_folder.h"

using namespace session;

namespace {

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t entries(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) count += entry.exists() ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a new folder appears with all its files, its parents and ordinary rights") {
  const test::TempFolder temp;
  const std::string folder = temp.path("a/b/study");
  CHECK_FALSE(in_the_way(folder));
  write_new_folder(folder, {{"study.yaml", "etude: 1\n"}, {"code/train.py", "pass\n"}});
  CHECK(content(folder + "/study.yaml") == "etude: 1\n");
  CHECK(content(folder + "/code/train.py") == "pass\n");
  CHECK(entries(temp.path("a/b")) == 1);
  struct stat about {};
  REQUIRE(stat(folder.c_str(), &about) == 0);
  CHECK((about.st_mode & 0500) == 0500);
}

TEST_CASE("an empty folder is filled and stays the same folder") {
  const test::TempFolder temp;
  std::filesystem::create_directory(temp.path("empty"));
  struct stat before {
  }, after{};
  REQUIRE(stat(temp.path("empty").c_str(), &before) == 0);
  CHECK_FALSE(in_the_way(temp.path("empty")));
  write_new_folder(temp.path("empty"), {{"study.yaml", "x"}});
  REQUIRE(stat(temp.path("empty").c_str(), &after) == 0);
  CHECK(before.st_ino == after.st_ino);
  CHECK(entries(temp.path("empty")) == 1);
}

TEST_CASE("a file or a folder with something in it is in the way") {
  const test::TempFolder temp;
  temp.write("file", "x");
  temp.write("full/.hidden", "x");
  CHECK(in_the_way(temp.path("file"))->text().find("it is a file") != std::string::npos);
  CHECK(in_the_way(temp.path("full"))->text().find("not empty") != std::string::npos);
}

TEST_CASE("a failure half-way leaves nothing behind") {
  const test::TempFolder temp;
  CHECK_THROWS_AS(write_new_folder(temp.path("study"), {{"a", "x"}, {"b/c", "x"}, {"b", "x"}}), std::runtime_error);
  CHECK_FALSE(std::filesystem::exists(temp.path("study")));
  CHECK(entries(temp.path()) == 0);
}

TEST_CASE("each example is a study with a name that no template has, and its scripts can be executed") {
  const std::vector<std::string> templates = template_names();
  CHECK(example_names().size() >= 20);
  for (const std::string& name : example_names()) {
    CAPTURE(name);
    CHECK(std::ranges::find(templates, name) == templates.end());
    const auto files = template_named(name);
    REQUIRE(files);
    CHECK(files->contains("study.yaml"));
    for (const auto& [path, bytes] : *files) CHECK(path.find("__pycache__") == std::string::npos);
  }
  const test::TempFolder temp;
  const auto files = template_named("monte-carlo");
  write_new_folder(temp.path("study"), *files, kinds_of_scripts(*files));
  struct stat about {};
  REQUIRE(stat(temp.path("study/estimate.sh").c_str(), &about) == 0);
  CHECK((about.st_mode & 0100) == 0100);
  REQUIRE(stat(temp.path("study/study.yaml").c_str(), &about) == 0);
  CHECK((about.st_mode & 0100) == 0);
}
