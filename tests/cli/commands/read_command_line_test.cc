#include "apps/cli/commands/read_command_line.h"

#include <algorithm>
#include <sstream>

#include <catch2/catch.hpp>

#include "apps/cli/commands/terms.h"
#include "executors/backend/backend.h"

using namespace cli;

namespace {

using Words = std::vector<std::string>;

/// As a shell splits it: at blanks outside of quotes, up to a pipe or a redirection.
Words split(const std::string& command) {
  Words words;
  std::string word;
  char quote = 0;
  bool begun = false;
  for (const char c : command) {
    if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      begun = true;
    } else if (c == '|' || c == '>') {
      break;
    } else if (c == ' ') {
      if (begun) words.push_back(word);
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(word);
  return words;
}

std::string refusal(const Words& words) {
  Context context;
  const Asked asked = read_command_line(words, context);
  return asked ? "" : asked.problem().text();
}

std::string help(const Words& words) {
  Context context;
  const Asked asked = read_command_line(words, context);
  REQUIRE(asked);
  REQUIRE(*asked);
  return **asked;
}

}  // namespace

TEST_CASE("each example of the help is taken by the parser, and stands in the help of its verb") {
  const std::vector<Example> all = examples();
  REQUIRE(all.size() > 50);
  for (const Example& example : all) {
    CAPTURE(example.command);
    Words words = split(example.command);
    REQUIRE(words.size() > 1);
    CHECK(words.front() == "etude");
    words.erase(words.begin());
    Context context;
    const Asked asked = read_command_line(words, context);
    if (!asked) FAIL(asked.problem().text());
    // Of `help` the text is the answer.
    CHECK(asked->has_value() == (example.verb == "help"));
    CHECK((example.verb == "help") != static_cast<bool>(context.action));
    Words verb = split(example.verb);
    CHECK(std::equal(verb.begin(), verb.end(), words.begin(), words.begin() + static_cast<long>(verb.size())));
    verb.insert(verb.begin(), "help");
    CHECK(help(verb).find("\n  " + example.command) != std::string::npos);
  }
}

TEST_CASE("help knows the terms of the glossary, by each of their names and in any case") {
  CHECK(help({"help", "treatment"}) ==
        "control, treatment: the arm that is compared with, and the arm that is compared\n");
  CHECK(help({"help", "Claim"}).find("\nclaim: ") != std::string::npos);
  CHECK(help({"help", "dead", "end"}).starts_with("dead end: "));
  CHECK(help({"help", "terms"}).find("\nfamily\n") != std::string::npos);
  for (const cli::Term& term : cli::terms()) {
    CAPTURE(term.names.front());
    CHECK_FALSE(term.meaning.empty());
    for (const std::string& text : {term.names.front(), term.meaning})
      CHECK(text.find_first_of("`[]|") == std::string::npos);
  }
  CHECK(refusal({"help", "nothing"}) ==
        "`nothing`: there is no such verb or term: see `etude --help` or `etude help terms`");
}

TEST_CASE("a misspelt verb or option is answered with the right one") {
  CHECK(refusal({"shwo", "s1"}) == "`shwo`: there is no such verb: did you mean `show`?");
  CHECK(refusal({"show", "s1", "--al"}) == "show: there is no option `--al`: did you mean `--all`?");
  CHECK(refusal({"run", "study.yaml", "--jbos=4"}) == "run: there is no option `--jbos`: did you mean `--jobs`?");
  CHECK(refusal({"ls", "--jsno"}) == "ls: there is no option `--jsno`: did you mean `--json`?");
  CHECK(refusal({"judge", "s1", "R1", "--unmte", "--why", "x"}) ==
        "judge: there is no option `--unmte`: did you mean `--unmet`?");
  CHECK(refusal({"ara", "find", "x", "y", "--limt", "3"}) ==
        "ara find: there is no option `--limt`: did you mean `--limit`?");
  CHECK(refusal({"ara", "fnd", "x", "y"}) == "ara: there is no `fnd`: did you mean `find`?");
}

TEST_CASE("a word that is near to nothing is answered with the help to read") {
  CHECK(refusal({"ls", "--zebra"}) == "ls: there is no option `--zebra`: see `etude ls --help`");
  CHECK(refusal({"run", "--yse"}).find("did you mean `--yes`") == std::string::npos);  // Hidden in the help.
  CHECK(refusal({"show"}).find("see `etude show --help`") != std::string::npos);
}

TEST_CASE("help is the same by both ways, and that of a grouped verb too") {
  CHECK(help({"help", "show"}) == help({"show", "--help"}));
  CHECK(help({"help", "ara", "find"}) == help({"ara", "find", "--help"}));
  CHECK(help({"ara", "find", "--help"}).find("Usage: etude ara find [OPTIONS] ARA WORDS") != std::string::npos);
}

TEST_CASE("the overview of all verbs fits a terminal of 80 columns") {
  std::istringstream lines(help({"--help"}));
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }) <= 80);
  }
}
