// Artifacts that mean harm: a diagnosis, and nothing read or echoed that should not be.

#include <random>

#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "artifacts/audit/audit.h"
#include "artifacts/check/fix.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/read/yaml_value.h"
#include "tests/artifacts/samples/scratch.h"
#include "tests/cost.h"

namespace fs = std::filesystem;

TEST_CASE("a link that leads out is reported, and what it leads to is never read or printed") {
  const Scratch outside{fs::path()};
  outside.write("secret.md", "# Claims\n\n## C77: the outside secret\n- **Status**: hunter2\n");
  const Scratch scratch;
  SECTION("an absolute link in place of a file") {
    scratch.remove("logic/claims.md");
    scratch.link(outside / "secret.md", "logic/claims.md");
  }
  SECTION("a relative link in place of a file") {
    scratch.remove("logic/claims.md");
    scratch.link(fs::path("../..") / outside.path().filename() / "secret.md", "logic/claims.md");
  }
  SECTION("a link in place of a folder") {
    scratch.remove("logic");
    fs::rename(outside / "secret.md", outside / "claims.md");
    scratch.link(outside.path(), "logic");
  }
  const auto report = scratch.check();
  const std::string text = artifacts::to_text(report);
  INFO(text);
  CHECK(count(report, "outside-root") >= 1);
  CHECK(count(report, "missing-file") >= 1);
  CHECK(text.find("C77") == std::string::npos);
  CHECK(text.find("hunter2") == std::string::npos);
}

TEST_CASE("a link that stays inside is followed") {
  const Scratch scratch;
  fs::rename(scratch / "logic/claims.md", scratch / "logic/real.md");
  scratch.link("real.md", "logic/claims.md");
  const auto report = scratch.check();
  INFO(artifacts::to_text(report));
  CHECK(report.errors == 0);
  CHECK(report.warnings == 0);
}

TEST_CASE("folders that link to each other do not keep the check busy") {
  const Scratch scratch;
  scratch.link("..", "logic/loop");
  scratch.link("../evidence", "evidence/again");
  scratch.link("circle", "src/circle");
  const auto report = scratch.check();
  CHECK(count(report, "special-file") == 1);
  CHECK(report.findings.size() == 1);
}

TEST_CASE("folders are listed to a depth, whatever lies below") {
  const Scratch scratch;
  fs::path place = scratch / "data";
  for (int depth = 0; depth < 400; ++depth) place /= "deep";
  fs::create_directories(place);
  const auto report = scratch.check();
  REQUIRE(count(report, "too-large") == 1);
  CHECK(find(report, "too-large")->message.find("folders deeper than 64") != std::string::npos);
}

TEST_CASE("a link to the secret is not read under another name") {
  const Scratch scratch;
  scratch.write(".ara_env", "# Claims\n\n## C99: KEY hunter2\n");
  scratch.remove("logic/claims.md");
  scratch.link("../.ara_env", "logic/claims.md");
  scratch.write("etude.json", "{\"files\": {\".ara_env\": \"00\"}}");
  const auto report = scratch.check();
  CHECK(artifacts::to_text(report).find("hunter2") == std::string::npos);
  CHECK(count(report, "missing-file") == 2);  // as a mandatory file, and as a row of the Layer Index
  CHECK(find(report, "bad-json")->message.find("must not be recorded") != std::string::npos);
}

TEST_CASE("sparse files of a gigabyte cost no memory and are not read") {
  const Scratch scratch;
  for (const char* file : {"PAPER.md", "logic/claims.md", tree, "evidence/README.md", "evidence/results/E02.csv"})
    fs::resize_file(scratch / file, std::uintmax_t{1} << 30);
  const std::int64_t before = tests::bytes_read();
  artifacts::CheckReport report;
  CHECK(tests::memory_taken([&] { report = scratch.check(); }) < 100 << 20);
  CHECK(tests::bytes_read() - before < 1 << 20);
  CHECK(count(report, "too-large") == 4);
}

TEST_CASE("pipes, sockets and folders where files should be do not block the check") {
  const Scratch scratch;
  scratch.remove("PAPER.md");
  REQUIRE(mkfifo((scratch / "PAPER.md").c_str(), 0600) == 0);
  scratch.remove(tree);
  fs::create_directory(scratch / tree);
  scratch.remove("logic/claims.md");
  fs::create_directory(scratch / "logic/claims.md");
  scratch.remove("evidence/tables/table1.md");
  REQUIRE(mkfifo((scratch / "evidence/tables/table1.md").c_str(), 0600) == 0);
  REQUIRE(mkfifo((scratch / "etude.json").c_str(), 0600) == 0);
  const int socket_fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = (scratch / "src/door").string();
  REQUIRE(name.size() < sizeof address.sun_path);
  name.copy(address.sun_path, name.size());
  REQUIRE(bind(socket_fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const auto report = scratch.check();
  close(socket_fd);
  INFO(artifacts::to_text(report));
  CHECK(count(report, "special-file") == 4);
  CHECK(count(report, "bad-json") == 1);
  std::size_t folders = 0;
  for (const auto& f : report.findings) folders += f.message.find("a directory stands") == 0 ? 1 : 0;
  CHECK(folders == 2);
}

TEST_CASE("a tree as deep as the YAML may be is read") {
  std::string text = "tree: ";
  for (int i = 0; i < 200; ++i) text += "[{id: N" + std::to_string(i) + ", type: question, title: t, children: ";
  text += "[]" + repeated("}]", 200);
  artifacts::Findings findings;
  CHECK(artifacts::read_tree(text, tree, findings).nodes.size() == 200);
  CHECK(findings.sorted().empty());
}

TEST_CASE("an alias of itself is bad YAML") {
  const auto parsed = artifacts::parse_yaml("tree: &t [*t]\n");
  const auto* trouble = std::get_if<artifacts::YamlTrouble>(&parsed);
  REQUIRE(trouble);
  CHECK(trouble->rule == artifacts::RuleId::bad_yaml);
  CHECK(trouble->line == 1);
}

TEST_CASE("nodes that are their own ancestors by id are loops, however long") {
  std::string text = "tree:\n";
  for (int i = 0; i < 10'000; ++i)
    text += "  - {id: N" + std::to_string(i) + ", type: question, title: t, parent: N" +
            std::to_string((i + 1) % 10'000) + "}\n";
  const Scratch scratch;
  scratch.write(tree, text);
  const auto report = scratch.check();
  CHECK(count(report, "cycle") == 1);
  CHECK(find(report, "cycle")->message.size() < 500);
}

TEST_CASE("no control character, direction override or broken byte reaches the terminal or the JSON") {
  const Scratch scratch;
  const std::string evil = "\x1b]0;owned\x07\x1b[31m\xff\xe2\x80\xae\u009b";
  scratch.write("evidence/" + evil.substr(0, 9) + ".md", "x");
  scratch.write("logic/" + evil + "\n.md", "x");
  scratch.replace("logic/claims.md", "**Status**: supported", "**Status**: no\u202e" + evil);
  scratch.write(tree, "tree:\n  - id: \"N\\e[31m\\x07\"\n    type: \"\\e]0;x\\a\"\n    \"\\x1bkey\": 1\n");
  scratch.write("etude.json", "{\"files\": {\"src/\\u001b[31m\\u0000\": \"0\"}}");
  const auto report = scratch.check();
  const std::string text = artifacts::to_text(report);
  CHECK(is_plain(text));
  CHECK(text.find("\u202e") == std::string::npos);
  CHECK(text.find("\u009b") == std::string::npos);
  CHECK(count(report, "unknown-node-type") == 1);
  CHECK(is_plain(artifacts::to_json(report).dump()));
}

TEST_CASE("a hash of a path with a zero byte, an absolute path or a way out is never taken for a file inside") {
  const Scratch scratch;
  scratch.record();
  auto json = nlohmann::json::parse(scratch.text("etude.json"));
  json["files"][std::string("src/environment.md\0.txt", 22)] = json["files"]["src/environment.md"];
  json["files"]["/etc/hostname"] = "0";
  json["files"]["src/../../../../etc/hostname"] = "0";
  scratch.write("etude.json", json.dump());
  const auto report = scratch.check();
  CHECK(count(report, "missing-file") == 1);
  CHECK(count(report, "outside-root") == 2);
  CHECK(report.errors == 3);
}

TEST_CASE("a folder behind a link in evidence/ does not hide unrecorded files") {
  const Scratch scratch;
  scratch.record();
  scratch.write("notes/forged.csv", "1");
  scratch.link("../notes", "evidence/forged");
  CHECK(count(scratch.check(), "unlisted-file") == 1);
}

TEST_CASE("deeply nested JSON is bad JSON, not a crash") {
  const Scratch scratch;
  scratch.write("etude.json", repeated("[", 1'000'000));
  CHECK(count(scratch.check(), "bad-json") == 1);
  scratch.write("etude.json", "{\"files\": " + repeated("[", 300'000) + repeated("]", 300'000) + "}");
  CHECK(count(scratch.check(), "bad-json") == 1);
}

TEST_CASE("real artifacts with random bytes changed never crash the check") {
  std::mt19937 random(7);
  const char* names[] = {"minimal", "resnet", "expbench", "rebench-rust_codecontests"};
  for (const char* name : names) {
    const Scratch scratch(test_files() / "corpus" / name);
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(scratch.path()))
      if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(scratch.path()));
    std::sort(files.begin(), files.end());
    for (int round = 0; round < 60; ++round) {
      const std::string file = files[random() % files.size()].string();
      const std::string before = scratch.text(file);
      std::string after = before;
      for (auto change = random() % 40 + 1; change > 0; --change) {
        static constexpr std::string_view marks = "[]{}():-#*|`&!>%\"'\n\t \\\xff";
        const std::size_t at = random() % after.size();
        switch (random() % 4) {
          case 0:
            after[at] = static_cast<char>(random());
            break;
          case 1:
            after[at] = marks[random() % marks.size()];
            break;
          case 2:
            after.erase(at, random() % 200);
            break;
          default:
            after.insert(at, after.substr(random() % after.size(), random() % 200));
        }
        if (after.empty()) after = "x";
      }
      scratch.write(file, after);
      const auto report = scratch.check();
      CHECK(is_plain(artifacts::to_text(report)));
      artifacts::to_json(report).dump();
      scratch.write(file, before);
    }
  }
}

TEST_CASE("the secret is neither quoted as a source nor mended under another name") {
  const Scratch scratch;
  scratch.write(".ara_env", "## C01 — KEY hunter2\nroot: []\n");
  scratch.replace("logic/claims.md", "0.4 ← evidence/tables/table1.md «0.4»", "0.4 ← evidence/tables/key.md «0.4»");
  scratch.link("../../.ara_env", "evidence/tables/key.md");
  const auto report = artifacts::audit(scratch.path().string());
  REQUIRE(report);
  CHECK(count(*report, "missing-file") + count(*report, "source-mismatch") >= 1);
  CHECK(artifacts::to_text(*report).find("hunter2") == std::string::npos);
  scratch.remove("logic/claims.md");
  scratch.link("../.ara_env", "logic/claims.md");
  REQUIRE(artifacts::fix(scratch.path().string()));
  CHECK(scratch.text(".ara_env") == "## C01 — KEY hunter2\nroot: []\n");
  CHECK(artifacts::to_text(scratch.check()).find("hunter2") == std::string::npos);
}
