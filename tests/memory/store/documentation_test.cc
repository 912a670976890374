// docs/events.md tells readers how to check a chain without us: its program is run here as it stands.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include <catch2/catch.hpp>

#include "memory/store/reader.h"
#include "memory/store/store.h"
#include "tests/memory/story.h"
#include "tests/places.h"

namespace {

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  char buffer[256];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  return ::pclose(pipe) == 0 ? text : "failed";
}

/// The first block of docs/events.md in this language.
std::string program_in_docs(const std::string& language) {
  std::ifstream page(tests::source_dir() + "/docs/events.md");
  const std::string text(std::istreambuf_iterator<char>(page), {}), fence = "```" + language + "\n";
  const std::size_t begin = text.find(fence) + fence.size();
  return text.substr(begin, text.find("```", begin) - begin);
}

/// A store with one study, told in every type of event.
struct ToldStudy {
  story::TempFolder home;
  memory::Store store{home};
  std::set<std::string> types;
  std::string log;  ///< As exported.

  ToldStudy() {
    story::Teller teller;
    store.append(teller.whole("s1"), teller.state);
    memory::Reader(home).events("s1", 0, [&](const memory::StoredEvent& e) {
      types.insert(e.type);
      log += e.json_line() + "\n";
    });
  }
};

}  // namespace

TEST_CASE("the program in docs/events.md finds the head of an exported log, and stops at a forged event") {
  if (std::system("/usr/bin/python3 -c '' 2> /dev/null") != 0) {
    WARN("skipped: /usr/bin/python3 is not installed");
    return;
  }
  const std::string program = program_in_docs("python");
  REQUIRE(program.starts_with("import hashlib"));

  ToldStudy told;
  std::ofstream(told.home / "check.py") << program;
  std::ofstream(told.home / "events.jsonl") << told.log;
  const std::string command =
      "/usr/bin/python3 '" + (told.home / "check.py") + "' '" + (told.home / "events.jsonl") + "' 2> /dev/null";
  CHECK(output_of(command) == told.store.head("s1") + "\n");

  told.log.replace(told.log.find("\"family\":1"), 10, "\"family\":2");
  std::ofstream(told.home / "events.jsonl") << told.log;
  CHECK(output_of(command) == "failed");
}

TEST_CASE("the export in docs/events.md gives the lines that the program itself writes") {
  if (std::system("sqlite3 -version > /dev/null 2>&1") != 0) {
    WARN("skipped: sqlite3 is not installed");
    return;
  }
  const std::string commands = program_in_docs("sh");
  REQUIRE(commands.starts_with("sqlite3 "));

  const ToldStudy told;
  std::ofstream(told.home / "export.sh") << commands;
  REQUIRE(std::system(("cd '" + (told.home / ".") + "' && sh export.sh").c_str()) == 0);
  CHECK(story::content(told.home / "events.jsonl") == told.log);
}

TEST_CASE("docs/events.md has every type of event, and no other") {
  std::ifstream page(tests::source_dir() + "/docs/events.md");
  std::set<std::string> documented;
  bool in_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) in_table = line == "## The types";
    if (in_table && line.starts_with("| `")) documented.insert(line.substr(3, line.find('`', 3) - 3));
  }
  CHECK(documented == ToldStudy().types);
}
