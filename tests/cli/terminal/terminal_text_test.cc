#include "apps/cli/terminal/terminal_text.h"

#include <catch2/catch.hpp>

using namespace cli;

TEST_CASE("control characters, broken UTF-8 and marks that turn text around are made visible") {
  CHECK(one_line("plain") == "plain");
  CHECK(one_line("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(one_line("a\r\nb\tc") == "a\\x0d b c");
  CHECK(one_line("caf\xc3\xa9") == "caf\xc3\xa9");
  CHECK(one_line("\xff\xfe!") == "\\xff\\xfe!");
  CHECK(one_line("\xc2\x9b"
                 "31m") == "\\xc2\\x9b31m");
  CHECK(one_line("\xe2\x80\xae"
                 "txt") == "\\xe2\\x80\\xaetxt");
  CHECK(one_line(std::string_view("a\0b", 3)) == "a\\x00b");
}

TEST_CASE("wide characters fill two columns and combining ones none") {
  CHECK(columns_of("abc") == 3);
  CHECK(columns_of("é") == 1);
  CHECK(columns_of("e\xcc\x81") == 1);
  CHECK(columns_of("研究") == 4);
}

TEST_CASE("a cut text says so and never splits a character") {
  CHECK(cut("abcdef", 6) == "abcdef");
  CHECK(cut("abcdef", 5) == "abcd…");
  CHECK(cut("研究研究", 4) == "研…");
  CHECK(columns_of(cut("研究研究", 4)) <= 4);
  CHECK(cut("abc", 1) == "…");
  CHECK(cut("abc", 0).empty());
}

TEST_CASE("text is wrapped at spaces, and a word that is too long keeps its line") {
  CHECK(wrapped("one two three", 8, 2) == "one two\n  three");
  CHECK(wrapped("a incomprehensible b", 6, 0) == "a\nincomprehensible\nb");
  CHECK(wrapped("one two three", 0, 2) == "one two three");
  CHECK(wrapped("", 10, 2).empty());
  CHECK(wrapped("one two three", 9, 2, 4) == "one\n  two three");
  CHECK(wrapped("one two", 6, 2, -1) == "one two");
}

TEST_CASE("lines of a text are wrapped below their own beginning") {
  const std::string text = "\nruns\n      12  registered, of two cells and of six replicates\n";
  CHECK(wrapped_lines(text, 0) == text);
  CHECK(wrapped_lines(text, 80) == text);
  CHECK(wrapped_lines(text, 36) == "\nruns\n      12  registered, of two cells\n        and of six replicates\n");
  CHECK(wrapped_lines("no newline", 80) == "no newline");
}

TEST_CASE("in ASCII the marks of etude differ from each other, and texts of others stay") {
  CHECK(in_ascii("✓ ✗ ≈ ~ – · … “x” −1 └─ │") == "+ x = ~ - - ... \"x\" -1 `- |");
  CHECK(in_ascii("café 研究") == "café 研究");
  // Counts of verdicts: a dash would make negative numbers of them.
  CHECK(in_ascii("✓1 –1 ·2") == "+1 /1 ?2");
  CHECK(in_ascii("runs 4 of 4 · 2 failed, 5–10") == "runs 4 of 4 - 2 failed, 5-10");
}

TEST_CASE("the three verdicts differ in sign, word and style") {
  CHECK(verdict_mark("supported") == "✓ supported");
  CHECK(verdict_mark("refuted") == "✗ refuted");
  CHECK(verdict_mark("inconclusive") == "~ inconclusive");
  CHECK(paint("x", verdict_style("supported"), true) != paint("x", verdict_style("refuted"), true));
  CHECK(paint("x", verdict_style("inconclusive"), true) != paint("x", verdict_style("refuted"), true));
}

TEST_CASE("without colour style leaves no trace") {
  CHECK(paint("x", TextStyle::supported, false) == "x");
  CHECK(paint("x", TextStyle::plain, true) == "x");
  CHECK(paint("x", TextStyle::bad, true) == "\x1b[1;31mx\x1b[0m");
}
