#include "apps/cli/draft/word_places.h"

#include <catch2/catch.hpp>

using namespace cli;

namespace {

std::vector<std::string> texts(const std::string& command) {
  std::vector<std::string> out;
  for (const ShellWord& word : shell_words(command).words) out.push_back(word.text);
  return out;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("words are what the shell would hand to the program") {
  CHECK(texts("python  train.py --lr 3e-4") == Strings{"python", "train.py", "--lr", "3e-4"});
  CHECK(texts("a 'b c' \"d\\\"e\" f\\ g h'i'\"j\"") == Strings{"a", "b c", "d\"e", "f g", "hij"});
  CHECK(texts("a ''") == Strings{"a", ""});
  CHECK(texts("").empty());
}

TEST_CASE("a word knows its place in the command, quotes included") {
  const std::string command = "a --x='b c' d";
  const ShellWord word = shell_words(command).words.at(1);
  CHECK(command.substr(word.begin, word.end - word.begin) == "--x='b c'");
}

TEST_CASE("words that the shell would expand are marked") {
  for (const char* word : {"$HOME", "*.txt", "~/data", "\"$X\"", "a?", "[ab]"})
    CHECK_FALSE(shell_words(word).words.at(0).plain);
  for (const char* word : {"'$HOME'", "\\*", "a~b", "'*'"}) CHECK(shell_words(word).words.at(0).plain);
}

TEST_CASE("more than one command, or one that cannot be followed, is not simple") {
  CHECK(shell_words("python a.py --x 1").simple);
  for (const char* command :
       {"a | b", "a && b", "a > log", "a; b", "a &", "(a)", "a\nb", "a # b", "a $(b)", "a `b`", "a 'b"})
    CHECK_FALSE(shell_words(command).simple);
  CHECK(texts("a 1 $(b c) 2") == Strings{"a", "1"});
}
