#include "studyfile/load.h"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cost.h"
#include "tests/places.h"

namespace {

namespace fs = std::filesystem;

constexpr const char* sound = R"(etude: 1
title: A study
question: |
  Which one
  is   faster?
run: run.sh {lr} {size.d} {on} {k}
factors:
  lr: {levels: [1e-4, 0.10], baseline: 0.1}
  size: {levels: {small: {d: 256}, base: {d: "512"}}}
  on: {levels: [true, False]}
  mixed: {levels: [1, "2", three]}
constants: {k: 007}
metrics:
  time_ms: {unit: ms, goal: minimize, summary: mean_last:5}
)";

std::string with(const std::string& more) {
  std::string text = sound;
  text += more;
  return text;
}

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("etude-studyfile-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
    fs::permissions(path_, fs::perms::all);
  }
  ~Folder() { fs::remove_all(path_); }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

std::string problem_of(const fs::path& path) {
  const auto loaded = studyfile::read(path.string());
  REQUIRE_FALSE(loaded);
  CHECK(loaded.problem().file == path.string());
  std::string text = loaded.problem().text();
  return text.substr(path.string().size());
}

/// Root may read everything; nobody may not.
class AsNobody {
 public:
  AsNobody() : changed_(geteuid() == 0 && seteuid(65534) == 0) {}
  ~AsNobody() {
    if (changed_ && seteuid(0) != 0) std::abort();
  }

 private:
  bool changed_;
};

}  // namespace

TEST_CASE("a missing study file is one clear error") {
  const Folder folder;
  CHECK(problem_of(folder / "study.yaml") ==
        ": there is no such file: name the study file; `etude init DIR` writes one to start from");
}

TEST_CASE("a folder instead of a study file is refused, and the study file in it is named") {
  const Folder folder;
  CHECK(problem_of(folder / "") == ": it is a folder: name the study file in it");
  std::ofstream(folder / "study.yaml") << sound;
  CHECK(problem_of(folder / "") == ": it is a folder: name the file in it: " + (folder / "study.yaml").string());
}

TEST_CASE("a device or a named pipe instead of a study file is refused without waiting for it") {
  const Folder folder;
  CHECK(problem_of("/dev/zero") == ": it is no regular file: name a study file");
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(problem_of(folder / "pipe") == ": it is no regular file: name a study file");
}

TEST_CASE("a study file of 100 MB is refused before it is read") {
  const Folder folder;
  std::ofstream(folder / "large.yaml") << "etude: 1\n";
  fs::resize_file(folder / "large.yaml", 100 << 20);
  const std::int64_t before = tests::bytes_read();
  CHECK(problem_of(folder / "large.yaml") == ": it is larger than 4 MB: a study file is a page of YAML: name that");
  CHECK(tests::bytes_read() - before < 1 << 20);
}

TEST_CASE("an unreadable study file is one clear error") {
  const Folder folder;
  std::ofstream(folder / "study.yaml") << sound;
  fs::permissions(folder / "study.yaml", fs::perms::none);
  const AsNobody nobody;
  CHECK(problem_of(folder / "study.yaml") ==
        ": the file cannot be read (Permission denied): give this user the right to read it");
}

TEST_CASE("a study keeps its author's spelling of levels and constants") {
  const auto parsed = studyfile::read_text(sound, "study.yaml", "/tmp");
  REQUIRE(parsed);
  const kernel::StudySpec& spec = parsed->spec;
  CHECK(spec.question == "Which one is faster?");
  const kernel::Factor& lr = *spec.factor("lr");
  CHECK(lr.type == kernel::FactorType::number);
  CHECK(lr.levels[0].value.text == "1e-4");
  CHECK(lr.levels[0].value.number == 1e-4);
  CHECK(lr.levels[1].name == "0.10");
  CHECK(lr.baseline == "0.10");
  const kernel::Factor& size = *spec.factor("size");
  CHECK(size.levels[1].name == "base");
  CHECK(size.levels[1].value.text == "base");
  CHECK(size.levels[0].bundle.at("d").number == 256);
  CHECK_FALSE(size.levels[1].bundle.at("d").number);
  CHECK(spec.factor("on")->type == kernel::FactorType::boolean);
  CHECK(spec.factor("on")->levels[1].value.text == "False");
  CHECK(spec.factor("mixed")->type == kernel::FactorType::text);
  CHECK(spec.constants.at("k").text == "007");
  CHECK(spec.metrics[0].primary);
  CHECK(spec.metrics[0].summary.last_k == 5);
}

TEST_CASE("paths in a study are absolute, and start at its own folder") {
  const Folder folder;
  std::ofstream(folder / "study.yaml") << sound << "workspace: {path: ./code/../code}\ndata: {d: {path: in.csv}}\n";
  fs::create_directory(folder / "code");
  std::ofstream(folder / "in.csv") << "1\n";
  const auto parsed = studyfile::read((folder / "study.yaml").string());
  REQUIRE(parsed);
  const kernel::StudySpec& spec = parsed->spec;
  CHECK(spec.workspace.path == (folder / "code").string());
  CHECK(spec.data[0].path == (folder / "in.csv").string());
  CHECK(spec.file == (folder / "study.yaml").string());
}

TEST_CASE("a study that names no workspace runs in its own folder") {
  const auto parsed = studyfile::read_text(sound, "study.yaml", "/usr/share/");
  REQUIRE(parsed);
  const kernel::StudySpec& spec = parsed->spec;
  CHECK(spec.workspace.path == "/usr/share");
}

TEST_CASE("data that cannot be read is one clear error") {
  const Folder folder;
  std::ofstream(folder / "in.csv") << "1\n";
  fs::permissions(folder / "in.csv", fs::perms::none);
  const AsNobody nobody;
  const auto parsed =
      studyfile::read_text(with("data: {d: {path: " + (folder / "in.csv").string() + "}}\n"), "study.yaml", "/tmp");
  REQUIRE_FALSE(parsed);
  CHECK(parsed.problem().line == 15);
  CHECK(parsed.problem().why == "`" + (folder / "in.csv").string() + "` is not readable");
}

TEST_CASE("Windows line ends and a byte order mark are taken") {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : std::string_view(sound)) {
    if (c == '\n') text += '\r';
    text += c;
  }
  const auto parsed = studyfile::read_text(text, "study.yaml", "/tmp");
  REQUIRE(parsed);
  const kernel::StudySpec& spec = parsed->spec;
  CHECK(spec.title == "A study");
}

TEST_CASE("units of duration and size") {
  const auto parsed = studyfile::read_text(
      with("resources: {memory: 1.5G, disk: 100K, timeout: 500ms}\nbudget: {wall: 2h}\n"), "s", "/tmp");
  REQUIRE(parsed);
  const kernel::StudySpec& spec = parsed->spec;
  CHECK(spec.resources.memory_bytes == std::int64_t{3} << 29);
  CHECK(spec.resources.disk_bytes == 102400);
  CHECK(spec.resources.timeout_s == 0.5);
  CHECK(spec.budget.wall_s == 7200);
}

TEST_CASE("no text makes the reader recurse or crawl") {
  for (const std::string part :
       {"[",  "{",       "{a: ", "- ",    "\n- ", "? ", "&a ", "*a ", "[a, ", "!t ",     "a: ", "\"",    "|\n ",
        "x ", "\n k: v", "'",    "a:\n ", "%",    ",",  "]",   "}",   "#",    "\n---\n", "-",   "? - : "}) {
    const auto repeated = [&](std::size_t size) {
      std::string text = "etude: 1\ntitle: ";
      while (text.size() < size) text += part;
      return text;
    };
    INFO(part);
    CHECK(tests::growth(std::size_t{1} << 18, repeated, [](const std::string& text) {
            CHECK_FALSE(
                studyfile::read_text(text, "study.yaml", tests::source_dir() + "/tests/cases/studyfile/ok-contract"));
          }) < tests::linear);
  }
}
