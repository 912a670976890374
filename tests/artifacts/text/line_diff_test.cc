#include "artifacts/text/line_diff.h"

#include <random>
#include <string>

#include <catch2/catch.hpp>

using artifacts::LineHunk;
using artifacts::Lines;

namespace {

std::string hunks_of(const std::vector<LineHunk>& hunks) {
  std::string text;
  for (const LineHunk& h : hunks)
    text += std::to_string(h.expected) + "+" + std::to_string(h.expected_count) + "/" + std::to_string(h.found) + "+" +
            std::to_string(h.found_count) + " ";
  return text;
}

}  // namespace

TEST_CASE("texts that differ in nothing but blanks at the ends of lines have no hunk") {
  CHECK(artifacts::line_hunks({}, {}).empty());
  CHECK(artifacts::line_hunks({"a", "b"}, {"a ", "b\r"}).empty());
  CHECK(hunks_of(artifacts::line_hunks({"a"}, {" a"})) == "0+1/0+1 ");
}

TEST_CASE("a changed, a missing and an added line are each a hunk of their own") {
  const Lines expected = {"a", "b", "c", "d", "e", "f"};
  CHECK(hunks_of(artifacts::line_hunks(expected, {"a", "X", "c", "d", "f", "Y"})) == "1+1/1+1 4+1/4+0 6+0/5+1 ");
  CHECK(hunks_of(artifacts::line_hunks(expected, {})) == "0+6/0+0 ");
}

TEST_CASE("what is kept and what is not make up both texts, with no more hunks than needed") {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const auto text = [&] {
      Lines lines;
      for (std::size_t n = random() % 9; n > 0; --n) lines.push_back(random() % 2 ? "x" : "y");
      return lines;
    };
    const Lines a = text(), b = text();
    std::size_t x = 0, y = 0, kept = 0;
    for (const LineHunk& h : artifacts::line_hunks(a, b)) {
      for (; x < h.expected; ++x, ++y, ++kept) REQUIRE(a[x] == b[y]);
      REQUIRE(y == h.found);
      x += h.expected_count;
      y += h.found_count;
    }
    for (; x < a.size(); ++x, ++y, ++kept) REQUIRE(a[x] == b.at(y));
    REQUIRE(y == b.size());
    // The longest common part, by the textbook.
    std::vector<std::vector<std::size_t>> longest(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j)
        longest[i + 1][j + 1] = a[i] == b[j] ? longest[i][j] + 1 : std::max(longest[i][j + 1], longest[i + 1][j]);
    REQUIRE(kept == longest[a.size()][b.size()]);
  }
}

TEST_CASE("texts that have nothing in common are one hunk") {
  std::vector<std::string> words;
  for (int i = 0; i < 6000; ++i) words.push_back(std::to_string(i));
  const Lines a(words.begin(), words.begin() + 3000), b(words.begin() + 3000, words.end());
  CHECK(hunks_of(artifacts::line_hunks(a, b)) == "0+3000/0+3000 ");
}
