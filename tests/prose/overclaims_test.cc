// Claims beyond a study, proofs and causes near a hypothesis, and honest sentences with the same words.
#include <catch2/catch.hpp>

#include "tests/prose/sorting.h"

namespace {

std::string findings_of(const std::string& text, const prose::Rules& rules = {}) {
  static const prose::Facts facts = sorting();
  std::string words;
  for (const prose::Objection& one : prose::lint(text, facts, rules)) words += prose::described(text, one) + "\n";
  return words;
}

}  // namespace

TEST_CASE("claims beyond the design are refused where they stand") {
  const std::pair<const char*, const char*> bad[] = {
      {"On every system, quick is faster than bubble (H1).", "every system"},
      {"H1 holds on all modern machines.", "all modern machines"},
      {"H1 holds for any workload.", "any workload"},
      {"H1 holds in production, too.", "in production"},
      {"H1 holds in general.", "in general"},
      {"Quick is always faster than bubble (H1).", "always"},
      {"H1 generally holds.", "generally"},
      {"H1 holds everywhere.", "everywhere"},
      {"H1 holds in practice.", "in practice"},
      {"H1 is supported. It holds on every system.", "every system"},
      {"H1 is supported. This is so in production.", "in production"},
      {"H1 holds regardless of hardware.", "regardless of"},
      {"H1 holds no matter the machine.", "no matter"},
      {"H1 is supported, without exception.", "without exception"},
      {"There is no doubt that H1 always holds.", "always"},
      {"H1 holds not only here but in production.", "in production"},
      {"H2 is refuted on every n.", "every n"},
      {"H2 is refuted in all settings.", "all settings"},
      {"The runs prove that H1 holds.", "prove"},
      {"H1 is supported, which is a proof.", "proof"},
      {"H1 is conclusively supported.", "conclusively"},
      {"H1 shows the cause of the difference.", "cause"},
      {"Partitioning causes the effect of H1.", "causes"},
      {"Quick is faster than bubble because of partitioning (H1).", "because of"},
      {"Quick is faster than bubble due to partitioning (H1).", "due to"},
      {"The lower time_ms of H1 is attributable to partitioning.", "attributable to"},
      {"Quick is faster than bubble thanks to its pivot (H1).", "thanks to"},
      {"H1 is causally supported.", "causally"},
  };
  for (const auto& [text, place] : bad) {
    const std::string words = findings_of(text);
    INFO(text << "\n" << words);
    CHECK(words.find(std::string("`") + place + "`") != std::string::npos);
  }
}

TEST_CASE("honest sentences with such words pass") {
  const char* const good[] = {
      "On every n, quick is faster than bubble (H1).",
      "H1 holds in every setting studied.",
      "H1 holds under all conditions that were studied.",
      "H1 was tested on one machine; nothing is known of every system there is.",
      "H1 does not say what quick does in production.",
      "It is not known whether H1 holds in general.",
      "Whether H1 holds in production was not tested.",
      "In production, H1 may not hold.",
      "H1 might hold on other systems; that is for another study.",
      "This does not prove a cause (H1).",
      "H1 is no proof of a mechanism.",
      "The mechanism of H1 was not tested, so its cause is unknown.",
      "Every run of H1 succeeded.",
      "All runs of E01 ended.",
      "All replicates of H1 have seeds of their own.",
      "Runs timed out because of a limit; see E01 and H3.",
      "H3 is inconclusive because of too few runs.",
      "H3 stopped due to the budget.",
      "The effect of the algorithm on time_ms is {{H1.effect}} (H1).",
      "In general, sorting algorithms are judged by comparisons.",
      "Each list was drawn anew for every seed.",
      "Production code was not measured.",
      "The proof of the bound is in [@knuth1998].",
      "H1 was registered before any run.",
      "In any case, H1 is {{H1.verdict}}.",
      "H1 is not always what a reader wants to know.",
      "H1 says nothing about all other machines.",
      "A single machine was used; other hardware is outside of H1.",
  };
  for (const char* text : good) {
    const std::string words = findings_of(text);
    INFO(text << "\n" << words);
    CHECK(words.empty());
  }
}

TEST_CASE("a text about one hypothesis need not name it") {
  const prose::Facts facts = sorting();
  const prose::Rules rules{.of = facts.hypothesis("H2")};
  CHECK_FALSE(findings_of("It holds in production.", rules).empty());
  CHECK_FALSE(findings_of("It holds on every n.", rules).empty());
  CHECK(findings_of("It holds on average over n.", rules).empty());
  CHECK(findings_of("It holds in production.", {.claims = false, .of = facts.hypothesis("H2")}).empty());
}

TEST_CASE("without random order there is no effect of anything") {
  prose::Facts facts = sorting();
  facts.hypotheses[0].randomised = false;
  CHECK(prose::lint("The effect of the algorithm was measured (H1).", facts).size() == 1);
}
