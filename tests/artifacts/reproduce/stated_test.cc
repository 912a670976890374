// Each rule that judges an artifact of others by its words: where it fires, and what it lets pass.
#include <functional>
#include <set>

#include <nlohmann/json.hpp>

#include "artifacts/audit/audit.h"
#include "artifacts/audit/level2_review.h"
#include "artifacts/text/english.h"
#include "tests/artifacts/samples/scratch.h"

namespace fs = std::filesystem;

namespace {

constexpr const char* claims_md = "logic/claims.md";

artifacts::CheckReport judged(const Scratch& scratch) {
  auto report = artifacts::audit(scratch.path().string());
  REQUIRE(report);
  return *report;
}

struct Spoilt {
  std::string rule, file;
  int line;
  std::function<void(const Scratch&)> apply;
};

std::function<void(const Scratch&)> exchanged(const char* file, const char* from, const char* to) {
  return [=](const Scratch& s) { s.replace(file, from, to); };
}

const std::vector<Spoilt>& spoilt() {
  static const std::vector<Spoilt> all{
      {"no-falsification", claims_md, 8,
       exchanged(claims_md, "Merge sort is faster on lists of eight elements.", "TBD")},
      {"tautological-falsification", claims_md, 8,
       exchanged(claims_md, "Merge sort is faster on lists of eight elements.", "C01 turns out to be wrong.")},
      {"tautological-falsification", claims_md, 8,
       exchanged(claims_md, "Merge sort is faster on lists of eight elements.",
                 "On short lists the algorithm with less bookkeeping per element is not faster, whatever its growth.")},
      {"unbounded-claim", claims_md, 4,
       exchanged(claims_md, "Statement**: On short lists", "Statement**: On all lists")},
      {"unbounded-claim", claims_md, 5,
       exchanged(claims_md, "Cheap comparisons; lists that fit a cache line or two.", "none")},
      {"unbounded-claim", claims_md, 3, exchanged(claims_md, "decide on short lists", "always decide")},
      {"orphan-experiment", "logic/experiments.md", 21, exchanged(claims_md, "[E02, ", "[")},
      {"orphan-experiment", "evidence/results/E07.md", 0,
       [](const Scratch& s) { s.write("evidence/results/E07.md", "# E07\n"); }},
      {"one-sided-proof", claims_md, 9, exchanged(claims_md, "Proof**: [E01]", "Proof**: [E01, E02]")},
      {"fallen-dependency", claims_md, 11,
       [](const Scratch& s) {
         s.replace(claims_md, "Status**: hypothesis", "Status**: refuted");
         s.replace(claims_md, "Dependencies**: none", "Dependencies**: [C02]");
       }},
      {"rejected-branch", claims_md, 3,
       exchanged(claims_md, "whatever its growth.", "whatever its growth. The times follow the comparisons.")},
      {"source-mismatch", claims_md, 6, exchanged(claims_md, "0.4 ← evidence", "0.3 ← evidence")},
      {"source-mismatch", claims_md, 6, exchanged("evidence/tables/table1.md", "| 0.4 |", "| 0.5 |")},
      {"source-mismatch", claims_md, 10, exchanged(claims_md, "Table 1.", "Table 1 (insertion = 0.8).")},
      {"unsourced-number", claims_md, 4, exchanged(claims_md, "is faster, whatever", "is 3.9 times faster, whatever")},
      {"label-mismatch", "evidence/tables/table1.md", 1,
       exchanged("evidence/tables/table1.md", "# Table 1", "# Table 2")},
      {"label-mismatch", "evidence/results/E02.md", 1, exchanged("evidence/results/E02.md", "# E02", "# E01")},
      {"provenance", tree, 0, [](const Scratch&) {}},
  };
  return all;
}

bool finds(const artifacts::CheckReport& report, const Spoilt& one) {
  for (const artifacts::Finding& f : report.findings)
    if (f.rule == one.rule && f.file == one.file && f.line == one.line) return true;
  return false;
}

}  // namespace

TEST_CASE("of a clean artifact of others the audit says who did what, and nothing else") {
  const Scratch clean;
  const auto report = judged(clean);
  INFO(artifacts::to_text(report));
  CHECK(report.findings.size() == 2);
  CHECK(count(report, "no-record") == 1);
  CHECK(count(report, "provenance") == 1);
  CHECK(report.ok);
}

TEST_CASE("each rule about words fires where the artifact is spoilt") {
  std::set<std::string> seen;
  for (const Spoilt& one : spoilt()) {
    const Scratch scratch;
    one.apply(scratch);
    const auto report = judged(scratch);
    INFO(one.rule << " at " << one.file << ":" << one.line << "\n" << artifacts::to_text(report));
    CHECK(finds(report, one));
    seen.insert(one.rule);
  }
  bool of_words = false;
  for (const artifacts::Rule& rule : artifacts::audit_rules()) {
    of_words = of_words || rule.rule == artifacts::RuleId::no_falsification;
    if (of_words) CHECK(seen.count(std::string(rule.id)) == 1);
  }
}

TEST_CASE("what bounds itself, denies or is the other way round raises no alarm") {
  for (const char* statement :
       {"On all four lists bookkeeping decides.", "In every tested setting bookkeeping decides.",
        "Option C (a projection on every list) is slower.", "Bookkeeping does not always decide.",
        "`on all lists` is what the option is called.", "Times do not follow comparisons.",
        "All of the tested sorts are stable.", "It was never claimed that comparisons count."}) {
    const Scratch scratch;
    scratch.replace(claims_md,
                    "On short lists the algorithm with less bookkeeping per element is faster, whatever its growth.",
                    statement);
    const auto report = judged(scratch);
    INFO(artifacts::to_text(report));
    CHECK(report.findings.size() == 2);
  }
}

TEST_CASE("an artifact with a record, even a lost one, is not judged by its words") {
  const Scratch scratch;
  scratch.record();
  scratch.replace(claims_md, "On short lists the", "In all cases the");
  CHECK(count(judged(scratch), "unbounded-claim") == 0);
  CHECK(count(judged(scratch), "lost-record") == 1);
}

TEST_CASE("words, sentences and numbers are those that a reader sees") {
  using artifacts::numbers_of;
  CHECK(artifacts::stems_in("Sorted lists sort; the sorting of a list") == std::vector<std::string>{"sort", "list"});
  CHECK(artifacts::sentences_in("It took 3.5 s. Why? No; yes\nend").size() == 5);
  const auto numbers = numbers_of("ResNet-34 at C01 took 1,280.5 ms, 61% of table3, v1.2.3, 4.7× and 6x");
  std::string all;
  for (const auto& n : numbers) all += n.text + " ";
  CHECK(all == "1,280.5 61 4.7 6 ");
  CHECK(artifacts::denies("It cannot work"));
  CHECK(artifacts::denies("The approach was abandoned"));
  CHECK_FALSE(artifacts::denies("It works"));
  CHECK(artifacts::comparison_in("takes more than twice as long") == 1);
  CHECK(artifacts::comparison_in("takes less than half as long") == -1);
  for (const char* nothing : {"", " - ", "TBD", "N/A", "none.", "*pending*", "to be determined"})
    CHECK(artifacts::says_nothing(nothing));
  CHECK_FALSE(artifacts::says_nothing("A run that is slower."));
}

TEST_CASE("the report by dimensions holds every finding once, and no score that nobody gave") {
  const Scratch scratch;
  for (const Spoilt& one : {spoilt()[0], spoilt()[3], spoilt()[10]}) one.apply(scratch);
  const auto report = judged(scratch);
  const auto json = artifacts::level2_report(report, "0");
  CHECK(json["dimensions"].size() == 6);
  std::size_t listed = json["other"].size();
  for (const auto& dimension : json["dimensions"]) {
    listed += dimension["findings"].size();
    CHECK(dimension["score"].is_null());
  }
  CHECK(listed == report.findings.size());
  CHECK(json["dimensions"][1]["findings"][0]["rule"] == "no-falsification");
  CHECK(json["summary"]["critical"] == 1);
}
