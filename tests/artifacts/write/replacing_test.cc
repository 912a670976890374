// What an artifact may be written over, and what is left alone.

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "artifacts/text/new_file.h"
#include "artifacts/write/package.h"
#include "artifacts/write/staging.h"
#include "tests/artifacts/samples/sample_study.h"

namespace fs = std::filesystem;
using nlohmann::json;

TEST_CASE("packaging again replaces an artifact of ours and leaves nothing beside it") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  const std::string seal = artifacts::file_bytes(folder + "/etude.json");
  sample_artifact(sample);
  CHECK(artifacts::file_bytes(folder + "/trace/events.jsonl").size() > 0);
  CHECK(json::parse(seal)["files"] == json::parse(artifacts::file_bytes(folder + "/etude.json"))["files"]);
  CHECK(std::distance(fs::directory_iterator(sample.place("")), fs::directory_iterator()) == 2);
}

TEST_CASE("what is not ours is never replaced") {
  const SampleStudy sample;
  const std::string folder = sample.place("theirs");
  fs::create_directories(folder);
  CHECK(artifacts::may_replace(folder));
  std::ofstream(folder + "/thesis.tex") << "all I have";
  CHECK_FALSE(artifacts::may_replace(folder));
  const auto result = artifacts::package(sample.input(), folder);
  REQUIRE_FALSE(result);
  CHECK(result.problem().todo.find("-o") != std::string::npos);
  CHECK(artifacts::file_bytes(folder + "/thesis.tex") == "all I have");
  std::ofstream(folder + "/etude.json") << "[]";
  CHECK_FALSE(artifacts::may_replace(folder));
  CHECK_FALSE(artifacts::may_replace(folder + "/thesis.tex"));
  CHECK_FALSE(artifacts::may_replace(folder + "/thesis.tex/below"));
  CHECK(artifacts::may_replace(sample.place("a/b/c/")));
  CHECK_FALSE(fs::exists(sample.place("a")));
}

TEST_CASE("an artifact that holds more than we wrote is never replaced, and the refusal names the file") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  CHECK(artifacts::may_replace(folder));
  const auto why = [&] {
    const auto result = artifacts::may_replace(folder);
    return result ? std::string() : result.problem().why;
  };
  SECTION("a file beside") {
    std::ofstream(folder + "/note.txt") << "mine";
    CHECK(why().find("note.txt") != std::string::npos);
    CHECK_FALSE(artifacts::package(sample.input(), folder));
    CHECK(artifacts::file_bytes(folder + "/note.txt") == "mine");
  }
  SECTION("a file deep inside") {
    fs::create_directories(folder + "/evidence/mine");
    std::ofstream(folder + "/evidence/mine/data.csv") << "1";
    CHECK(why().find("evidence/mine/data.csv") != std::string::npos);
  }
  SECTION("a secret") {
    std::ofstream(folder + "/.ara_env") << "KEY=1";
    CHECK(why().find(".ara_env") != std::string::npos);
  }
  SECTION("a link") {
    fs::create_symlink("PAPER.md", folder + "/logic/paper.md");
    CHECK(why().find("logic/paper.md") != std::string::npos);
  }
  SECTION("an annotated page") {
    std::ofstream(folder + "/logic/claims.md", std::ios::app) << "\nI doubt this.\n";
    CHECK(why().find("logic/claims.md") != std::string::npos);
  }
}

TEST_CASE("a folder with an etude.json that is none of a study is not ours") {
  const SampleStudy sample;
  const std::string folder = sample.place("theirs");
  fs::create_directories(folder);
  std::ofstream(folder + "/data.txt") << "all I have";
  for (const char* seal : {"{\"etude\":1}", "{\"etude\":1,\"files\":{\"data.txt\":\"\"}}", "{\"etude\":", "", "[1]"}) {
    CAPTURE(seal);
    std::ofstream(folder + "/etude.json") << seal;
    CHECK_FALSE(artifacts::may_replace(folder));
    CHECK_FALSE(artifacts::package(sample.input(), folder));
    CHECK(artifacts::file_bytes(folder + "/data.txt") == "all I have");
  }
}

TEST_CASE("a place where nothing can be made is refused before anything is spent") {
  const SampleStudy sample;
  for (const std::string& place :
       {std::string("/proc/x"), std::string("/proc/x/y"), sample.place(std::string(250, 'n')),
        sample.place(std::string(300, 'n') + "/out"), std::string("/proc")}) {
    CAPTURE(place);
    const auto result = artifacts::may_replace(place);
    REQUIRE_FALSE(result);
    CHECK(result.problem().text().find("filesystem error") == std::string::npos);
  }
  CHECK(std::distance(fs::directory_iterator(sample.place("")), fs::directory_iterator()) == 1);
}
