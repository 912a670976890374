// Whatever bytes come: the lint ends, and what it finds lies inside the text.
#include <catch2/catch.hpp>

#include "prose/characters.h"
#include "stats/basics/random.h"
#include "tests/prose/sorting.h"
#include "tests/rounds.h"

namespace {

/// True: every finding has a place that the text has.
bool inside(const std::string& text, const prose::Facts& facts, prose::Markup markup) {
  std::size_t last = 0;
  for (const prose::Objection& finding : prose::lint(text, facts, {markup, true})) {
    if (finding.length == 0 || finding.offset < last || finding.offset + finding.length > text.size()) return false;
    last = finding.offset;
    const prose::Place place = prose::place_of(text, finding.offset);
    const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
    if (place.line < 1 || place.line > lines || place.column < 1) return false;
    if (prose::described(text, finding).empty()) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("random bytes never break the lint, and every place lies inside the text") {
  const prose::Facts facts = sorting();
  stats::Xoshiro random(20240717);
  for (int round = 0; round < tests::rounds(4000); ++round) {
    std::string text(random.below(60), '\0');
    for (char& c : text) c = static_cast<char>(random.below(round % 2 ? 256 : 128));
    for (const prose::Markup markup : {prose::Markup::plain, prose::Markup::markdown})
      if (!inside(text, facts, markup)) {
        INFO(text);
        FAIL("a finding outside of the text");
      }
  }
}

TEST_CASE("fragments of prose in any order never break the lint") {
  const prose::Facts facts = sorting();
  const std::vector<std::string> pieces = {"{{",       "}}",          "{{H1.effect}}",
                                           "H1",       "`",           "```\n",
                                           "~~~",      "3.7",         ".",
                                           ",",        "-",           "−",
                                           " ",        "\n",          "\n\n",
                                           "@",        "@knuth1998",  "\\cite{",
                                           "}",        "twice",       "a",
                                           "third",    "of",          "faster",
                                           "than",     "quick",       "bubble",
                                           "not",      "½",           "²",
                                           "n",        "=",           "500",
                                           "%",        "&#51;",       "<b>",
                                           "https://", "example.org", "time_ms",
                                           "is",       "supported",   "I",
                                           "IV",       "\xE2\x80",    "\xFF",
                                           "\u200B",   "“",           "as",
                                           "10",       "e",           "e5",
                                           "*",        "'",           "_",
                                           "x",        "日本",        "nearly_sorted",
                                           "naïve",    "1.",          "2)",
                                           "(",        ")",           "neither",
                                           "nor",      "whether"};
  stats::Xoshiro random(7);
  for (int round = 0; round < tests::rounds(6000); ++round) {
    std::string text;
    for (std::size_t n = random.below(24); n-- > 0;) {
      text += pieces[random.below(static_cast<std::uint32_t>(pieces.size()))];
      if (random.below(3) == 0) text += ' ';
    }
    for (const prose::Markup markup : {prose::Markup::plain, prose::Markup::markdown})
      if (!inside(text, facts, markup)) {
        INFO(text);
        FAIL("a finding outside of the text");
      }
  }
}

TEST_CASE("a long text takes no longer than its length") {
  const prose::Facts facts = sorting();
  std::string text;
  while (text.size() < 200'000)
    text += "Quick is 3.7 times ((([[[ faster than @nobody `` {{ {{H1.effect} twice, n = 500, ";
  CHECK(prose::lint(text, facts).size() > 1000);
  CHECK(prose::lint(text, facts, {prose::Markup::markdown, true}).size() > 1000);
}

TEST_CASE("lines and columns count characters") {
  const std::string text = "é – ½\n\tzwölf 3.7";
  const auto findings = prose::lint(text, {});
  REQUIRE(findings.size() == 2);
  CHECK(prose::place_of(text, findings[0].offset).line == 1);
  CHECK(prose::place_of(text, findings[0].offset).column == 5);
  CHECK(prose::place_of(text, findings[1].offset).line == 2);
  CHECK(prose::place_of(text, findings[1].offset).column == 8);
  CHECK(prose::described(text, findings[1]).starts_with("line 2, column 8: `3.7` is an unsupported number: "));
}

TEST_CASE("in Markdown code is no prose, but an amount in backquotes is") {
  const prose::Facts facts = sorting();
  const prose::Rules markdown{prose::Markup::markdown, true};
  for (const char* good : {"Run `head -n 7 list.txt` first.", "```\nfor i in range(10): faster(i)\n```\nDone.",
                           "~~~ sh\nsleep 3\n~~~", "1. Sort.\n2. Look.\n3. Stop.", "The name ``list`3`` is odd."}) {
    INFO(good);
    CHECK(prose::lint(good, facts, markdown).empty());
  }
  for (const char* bad :
       {"A ratio of `3.7` was seen.", "A ratio of `3.7 ms` was seen.", "A ratio of ``97 %``.", "```\nnever closed 3.7",
        "The ratio is\n3. What now?", "2. Begins in the middle.", "A <b>bold</b> word.", "Sort.\n3.7 is the ratio."}) {
    INFO(bad);
    CHECK_FALSE(prose::lint(bad, facts, markdown).empty());
  }
}
