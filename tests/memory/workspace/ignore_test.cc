#include "memory/workspace/ignore.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include "memory/workspace/walk.h"
#include "tests/memory/story.h"

namespace {

namespace fs = std::filesystem;
using memory::Glob;
using memory::IgnoreRules;
using story::TempFolder;

bool ignored(const std::string& rules, const std::string& path, bool is_folder = false,
             const std::string& folder = "") {
  IgnoreRules all;
  all.add(rules, folder);
  return all.ask(path, is_folder) == IgnoreRules::Answer::ignored;
}

void write(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::set<std::string> lines_of(const std::string& command) {
  std::set<std::string> lines;
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  ::pclose(pipe);
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\0', begin)) != text.npos; begin = end + 1)
    lines.insert(text.substr(begin, end - begin));
  return lines;
}

std::set<std::string> walked(const std::string& root) {
  memory::Selection selection(root, {}, "/nowhere");
  const auto walk = memory::walk(root, selection, "workspace", "leave it out");
  std::set<std::string> files;
  if (walk)
    for (const memory::WalkEntry& e : walk->entries)
      if (e.type != kernel::EntryType::folder) files.insert(e.path);
  return files;
}

}  // namespace

TEST_CASE("a pattern without a slash matches a name anywhere, one with a slash only from its folder") {
  CHECK(ignored("*.pt", "a/b/model.pt"));
  CHECK(ignored("/model.pt", "model.pt"));
  CHECK_FALSE(ignored("/model.pt", "a/model.pt"));
  CHECK(ignored("a/b", "a/b"));
  CHECK_FALSE(ignored("a/b", "x/a/b"));
  CHECK(ignored("*.pt", "a/b/model.pt", false, "a"));
  CHECK_FALSE(ignored("*.pt", "b/model.pt", false, "a"));
  CHECK(ignored("/x", "a/x", false, "a"));
  CHECK_FALSE(ignored("/x", "ab/x", false, "a"));
}

TEST_CASE("a slash at the end means folders only") {
  CHECK(ignored("build/", "a/build", true));
  CHECK_FALSE(ignored("build/", "a/build", false));
  CHECK(ignored("/a/build/", "a/build", true));
}

TEST_CASE("the last matching line decides, and an exclamation mark keeps") {
  CHECK_FALSE(ignored("*.log\n!keep.log\n", "keep.log"));
  CHECK(ignored("!keep.log\n*.log\n", "keep.log"));
  CHECK(ignored("\\!odd\n", "!odd"));
}

TEST_CASE("comments, blank lines, Windows line ends, byte order marks and trailing spaces are understood") {
  CHECK_FALSE(ignored("# *\n\n   \n", "a"));
  CHECK(ignored("\\#a\n", "#a"));
  CHECK(ignored("\xEF\xBB\xBF*.o\r\nb\r\n", "x.o"));
  CHECK(ignored("*.o\r\nb\r\n", "b"));
  CHECK(ignored("a   ", "a"));
  CHECK(ignored("a\\ ", "a "));
  CHECK(ignored("a\\ \\  ", "a  "));
  CHECK_FALSE(ignored("a\\ ", "a"));
}

TEST_CASE("two stars cross folders, one does not") {
  CHECK(ignored("a/**/z", "a/z"));
  CHECK(ignored("a/**/z", "a/b/c/z"));
  CHECK_FALSE(ignored("a/*/z", "a/b/c/z"));
  CHECK(ignored("**/z", "z"));
  CHECK(ignored("**/z/y", "a/b/z/y"));
  CHECK(ignored("a/**", "a/b/c"));
  CHECK_FALSE(ignored("a/**", "a", true));
  CHECK_FALSE(ignored("a**/z", "ab/c/z"));
  CHECK(ignored("a**/z", "ab/z"));
}

TEST_CASE("sets take ranges, classes, negation and a bracket in first place") {
  CHECK(Glob("[a-c]x").matches("bx"));
  CHECK_FALSE(Glob("[!a-c]x").matches("bx"));
  CHECK(Glob("[^a-c]x").matches("dx"));
  CHECK(Glob("[]a]").matches("]"));
  CHECK(Glob("[a-]").matches("-"));
  CHECK(Glob("[[:digit:]_]").matches("7"));
  CHECK(Glob("[\\]]").matches("]"));
  CHECK_FALSE(Glob("a[/]b").matches("a/b"));
  CHECK_FALSE(Glob("[ab").matches("a"));
  CHECK_FALSE(Glob("[ab").matches("[ab"));
  CHECK_FALSE(Glob("a\\").matches("a\\"));
}

TEST_CASE("no pattern is slow") {
  const std::string text(20000, 'a');
  CHECK_FALSE(Glob("*a*a*a*a*a*a*a*a*a*a*b").matches(text));
  CHECK_FALSE(Glob("**/a/**/a/**/a/**/b").matches(text));
}

TEST_CASE("what a walk lists is what git would add") {
  if (std::system("git --version > /dev/null 2>&1") != 0) {
    WARN("skipped: git is not installed");
    return;
  }
  std::mt19937 random(5);
  const auto pick = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
  const std::vector<std::string> names = {"a", "b", "ab", "a.o", "b.o", "x y", "build", ".env", "-", "a]"};
  const std::vector<std::string> pieces = {"a",    "b",   "*",     "?", "**",  "/", "[ab]",
                                           "[!a]", "*.o", "build", ".", "\\a", "!", "#"};
  TempFolder folder;
  const std::string repository = folder / "r";
  const std::string git = "git -C '" + repository + "' -c core.excludesFile=/dev/null ";
  fs::create_directories(repository);
  REQUIRE(std::system((git + "init -q").c_str()) == 0);
  const char* more = std::getenv("ETUDE_IGNORE_ROUNDS");
  for (int round = 0; round < (more ? std::atoi(more) : 25); ++round) {
    for (const auto& entry : fs::directory_iterator(repository))
      if (entry.path().filename() != ".git") fs::remove_all(entry.path());
    for (int i = 0; i < 25; ++i) {
      std::string path = repository;
      for (auto depth = random() % 4; depth > 0; --depth) path += "/" + pick(names);
      std::error_code error;
      fs::create_directories(path, error);
      if (!error && !fs::exists(path + "/" + pick(names))) std::ofstream(path + "/" + pick(names)) << "x";
    }
    std::vector<std::string> folders = {repository};
    for (const auto& entry : fs::recursive_directory_iterator(repository))
      if (entry.is_directory() && !entry.path().string().starts_with(repository + "/.git/") &&
          entry.path().filename() != ".git")
        folders.push_back(entry.path());
    std::string all_rules;
    for (auto files = 1 + random() % 3; files > 0; --files) {
      std::string rules;
      for (auto lines = 1 + random() % 4; lines > 0; --lines) {
        for (auto n = 1 + random() % 4; n > 0; --n) rules += pick(pieces);
        rules += pick({"", "", "", "/", " ", "\r"}) + "\n";
      }
      const std::string where = files == 1 ? repository : pick(folders);
      write(where + "/.gitignore", rules);
      all_rules += where + ":\n" + rules;
    }
    INFO(all_rules);
    CHECK(walked(repository) == lines_of(git + "ls-files -z --others --exclude-standard"));
    // A workspace in the middle of a repository heeds the files above it too, if they do not ignore it altogether.
    const std::string middle = pick(folders);
    std::set<std::string> expected;
    for (const std::string& file : lines_of(git + "ls-files -z --others --exclude-standard")) {
      const std::string prefix = fs::path(middle).lexically_relative(repository).string() + "/";
      if (middle != repository && file.starts_with(prefix)) expected.insert(file.substr(prefix.size()));
    }
    if (!expected.empty()) CHECK(walked(middle) == expected);
  }
}
