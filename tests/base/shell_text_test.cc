#include "base/shell_text.h"

#include <cstdio>

#include <catch2/catch.hpp>

using namespace kernel;

namespace {

/// What sh makes of the command line.
std::string printed_by_sh(const std::string& command) {
  std::string text;
  FILE* const output = ::popen(command.c_str(), "r");
  REQUIRE(output);
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) text += static_cast<char>(c);
  ::pclose(output);
  return text;
}

}  // namespace

TEST_CASE("a shell reads every word of a copied command as it was") {
  for (const std::string word : {"plain/path-1.yaml", "my study's \"runs\"", "", "$HOME `id` $(id)", "a\\b;c&d|e>f",
                                 "*?[x]~{y}!#", "two\nlines", "Grüße", "'", "''", "-n", "a=b"})
    CHECK(printed_by_sh("printf '<%s>' " + shell_word(word)) == "<" + word + ">");
  CHECK(printed_by_sh(shell_line({"printf", "<%s>", "a b", "it's", "c"})) == "<a b><it's><c>");
}

TEST_CASE("a word that needs no quotes has none") {
  CHECK(shell_word("runs/s1_r2.json") == "runs/s1_r2.json");
  CHECK(shell_line({"etude", "plan", "study.yaml"}) == "etude plan study.yaml");
  CHECK(shell_word("my study") == "'my study'");
}
