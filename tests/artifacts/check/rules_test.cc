// Every rule: it fires at the right place with the right severity when one thing of a clean artifact is broken, and is
// silent on the clean one.

#include <array>
#include <functional>
#include <set>

#include <sys/stat.h>
#include <unistd.h>

#include "artifacts/read/findings.h"
#include "tests/artifacts/samples/scratch.h"
#include "tests/places.h"

namespace fs = std::filesystem;
using artifacts::Finding;
using artifacts::Severity;

namespace {

struct Break {
  std::string rule;
  std::string file;
  int line;
  Severity severity;
  bool fixable;
  std::function<void(const Scratch&)> apply;
};

constexpr const char* claims = "logic/claims.md";
constexpr const char* experiments_md = "logic/experiments.md";
constexpr const char* related_md = "logic/related_work.md";
constexpr const char* table_md = "evidence/tables/table1.md";
constexpr const char* figure_md = "evidence/figures/figure1.md";
constexpr const char* good_source = "0.4 ← evidence/tables/table1.md «0.4» [result]";
constexpr const char* sort_py = "src/execution/sort.py";

std::function<void(const Scratch&)> swap(const char* file, const char* from, const char* to) {
  return [=](const Scratch& s) { s.replace(file, from, to); };
}

std::vector<Break> breaks() {
  const Severity error = Severity::error, warning = Severity::warning, info = Severity::info;
  std::vector<Break> all{
      {"missing-file", "logic/concepts.md", 0, error, false, [](const Scratch& s) { s.remove("logic/concepts.md"); }},
      {"missing-file", "src/environment.md", 0, error, false,
       [](const Scratch& s) { s.write("src/environment.md", "0123456789"); }},
      {"missing-file", claims, 20, error, false, swap(claims, "evidence/results/E02.md", "evidence/results/E09.md")},
      {"missing-file", "logic/experiments.md", 5, error, false,
       swap("logic/experiments.md", "evidence/tables/table1.md", "evidence/tables/table2.md")},
      {"missing-file", "logic/experiments.md", 6, warning, false,
       swap("logic/experiments.md", "src/execution/sort.py", "src/execution/gone.py")},
      {"missing-file", "logic/solution/heuristics.md", 7, error, false,
       swap("logic/solution/heuristics.md", "[src/execution/sort.py](../../src/execution/sort.py)",
            "[src/execution/gone.py]")},
      {"missing-file", figure_md, 8, warning, false,
       [](const Scratch& s) { s.remove("evidence/figures/figure1.png"); }},
      {"missing-file", "evidence/README.md", 6, warning, false,
       swap("evidence/README.md", "[tables/table1.md](tables/table1.md)", "[tables/table2.md](tables/table2.md)")},
      {"missing-file", "PAPER.md", 26, warning, false,
       swap("PAPER.md", "[problem.md](logic/problem.md)", "[gone.md](logic/gone.md)")},
      {"too-large", claims, 0, error, false,
       [](const Scratch& s) { fs::resize_file(s / claims, std::uintmax_t{1} << 30); }},
      {"too-large", "data/all.json", 0, info, false,
       [](const Scratch& s) {
         s.write("data/all.json", "");
         fs::resize_file(s / "data/all.json", std::uintmax_t{1} << 30);
       }},
      {"too-deep", tree, 1, error, false,
       [](const Scratch& s) { s.write(tree, "tree: " + std::string(100'000, '[') + std::string(100'000, ']')); }},
      {"outside-root", "evidence/tables/table1.md", 0, error, false,
       [](const Scratch& s) {
         s.remove("evidence/tables/table1.md");
         s.link("/etc/hostname", "evidence/tables/table1.md");
       }},
      {"outside-root", claims, 20, error, false, swap(claims, "evidence/results/E02.md", "../../../etc/passwd.md")},
      {"special-file", "evidence/pipe", 0, error, false,
       [](const Scratch& s) { REQUIRE(mkfifo((s / "evidence/pipe").c_str(), 0600) == 0); }},
      {"special-file", "logic/nowhere.md", 0, warning, false,
       [](const Scratch& s) { s.link("gone.md", "logic/nowhere.md"); }},
      {"secret-file", ".ara_env", 0, info, false, [](const Scratch& s) { s.write(".ara_env", "KEY=hunter2\n"); }},
      {"invalid-utf8", claims, 3, warning, false, swap(claims, "Constant factors", "Constant \xff\xc0 factors")},
      {"invalid-utf8", "data/preprocessing.md", 3, warning, false,
       [](const Scratch& s) { s.write("data/preprocessing.md", "# Data\n\n\xff\xfe\n"); }},
      {"control-characters", claims, 3, warning, false, swap(claims, "Constant factors", "Constant \x1b[31m factors")},
      {"bad-yaml", tree, 3, error, false, swap(tree, "- id: N01", "- id: [N01")},
      {"bad-yaml", "PAPER.md", 2, error, false, swap("PAPER.md", "title: \"", "title: *nothing \"")},
      {"bad-yaml", "staging/observations.yaml", 2, warning, false,
       [](const Scratch& s) { s.write("staging/observations.yaml", "observations:\n\t- id: O01\n"); }},
      {"bad-yaml", "trace/sessions/s1.yaml", 1, warning, false,
       [](const Scratch& s) { s.write("trace/sessions/s1.yaml", "notes: *nothing\n"); }},
      {"bad-json", "etude.json", 1, error, false, [](const Scratch& s) { s.write("etude.json", "{\"files\": \n"); }},
      {"bad-json", "etude.json", 3, error, false,
       [](const Scratch& s) { s.write("etude.json", "{\n\"files\": {},\nNaN: 1}"); }},
      {"bad-json", "level2_report.json", 2, warning, false,
       [](const Scratch& s) { s.write("level2_report.json", "{\"level\": 2,\n \"dimensions\"}\n"); }},
      {"bad-json", "data/empty.json", 1, warning, false, [](const Scratch& s) { s.write("data/empty.json", ""); }},
      {"bad-json", "etude.json", 0, error, false, [](const Scratch& s) { s.write("etude.json", "{\"files\": []}"); }},
      {"broken-chain", "trace/events.jsonl", 0, error, false,
       [](const Scratch& s) { s.write("etude.json", "{\"etude\": 1, \"files\": {}}"); }},
      {"bad-json", "etude.json", 0, error, false,
       [](const Scratch& s) { s.write("etude.json", R"({"files": {}, "tool": "a", "tool": "b"})"); }},
      {"ambiguous-root", tree, 44, error, false,
       [](const Scratch& s) { s.append(tree, "root: {id: N09, type: question}\n"); }},
      {"ambiguous-root", tree, 1, error, false, swap(tree, "tree:", "nodes:")},
      {"ambiguous-root", tree, 1, error, false, [](const Scratch& s) { s.write(tree, "# nothing here\n"); }},
      {"legacy-root", tree, 1, warning, true, swap(tree, "tree:", "root:")},
      {"empty-tree", tree, 1, warning, false, [](const Scratch& s) { s.write(tree, "tree: []  # empty\n"); }},
      {"bad-node", tree, 2, warning, false, swap(tree, "  - id: N01", "  - just words\n  - id: N01")},
      {"bad-node", tree, 24, error, false, swap(tree, "      - id: N04\n        type", "      - type")},
      {"duplicate-id", tree, 24, error, false, swap(tree, "id: N04", "id: N02")},
      {"duplicate-id", claims, 14, error, false, swap(claims, "## C02:", "## C01:")},
      {"duplicate-id", "logic/experiments.md", 21, error, false, swap("logic/experiments.md", "## E02:", "## E01:")},
      {"duplicate-key", tree, 7, error, false, swap(tree, "    description:", "    title: again\n    description:")},
      {"unknown-node-type", tree, 9, warning, false, swap(tree, "type: experiment", "type: trial")},
      {"unknown-node-type", tree, 9, warning, false, swap(tree, "        type: experiment\n", "")},
      {"unknown-node-key", tree, 7, warning, false, swap(tree, "    description:", "    descripton:")},
      {"unknown-node-key", tree, 44, warning, false, [](const Scratch& s) { s.append(tree, "schema: 2\n"); }},
      {"unknown-value", tree, 9, warning, false, swap(tree, "provenance: ai-executed", "provenance: robot")},
      {"unknown-value", claims, 7, warning, false, swap(claims, "**Status**: supported", "**Status**: proven")},
      {"unknown-value", related_md, 5, warning, false, swap(related_md, "**Type**: extends", "**Type**: inspires")},
      {"bad-identifier", related_md, 4, warning, false, swap(related_md, "10.1145/359619.359631", "10.1145")},
      {"bad-identifier", related_md, 4, warning, false, swap(related_md, "10.1145/359619.359631", "10.11/359619")},
      {"bad-identifier", related_md, 4, warning, false, swap(related_md, "10.1145", "https://doi.org/1145")},
      {"bad-identifier", related_md, 4, warning, false, swap(related_md, "10.1145/359619.359631", "doi: 2021")},
      {"bad-identifier", related_md, 4, warning, false, swap(related_md, "10.1145/359619.359631", "arXiv:2413.00001")},
      {"bad-identifier", related_md, 4, warning, false, swap(related_md, "10.1145/359619.359631", "arxiv:1512.338")},
      {"dialect-key", tree, 33, warning, true, swap(tree, "prior_direction:", "from:")},
      {"dialect-key", tree, 34, warning, true, swap(tree, "new_direction:", "to:")},
      {"dialect-key", tree, 35, warning, true, swap(tree, "        reason:", "        trigger:")},
      {"dialect-key", tree, 28, warning, true, swap(tree, "failure_mode:", "reason:")},
      {"dialect-key", tree, 23, warning, true, swap(tree, "rationale:", "justification:")},
      {"dialect-key", tree, 33, warning, false, swap(tree, "        prior_dir", "        from: x\n        prior_dir")},
      {"dialect-header", claims, 3, warning, true, swap(claims, "## C01: ", "## C01 — ")},
      {"dialect-header", claims, 3, warning, true, swap(claims, "## C01: ", "### C01 - ")},
      {"dialect-header", claims, 3, warning, false, swap(claims, "## C01: ", "## C01 ")},
      {"dialect-header", "logic/experiments.md", 3, warning, false, swap("logic/experiments.md", "E01: ", "E01 - ")},
      {"support-level", tree, 2, warning, false, swap(tree, "support_level: explicit", "support_level: certain")},
      {"source-refs", tree, 2, warning, false, swap(tree, "    source_refs: [\"README\"]\n", "")},
      {"dead-end-children", tree, 30, warning, false,
       swap(tree, "        lesson: Bookkeeping counts.",
            "        lesson: Bookkeeping counts.\n        children:\n          - {id: N07, type: question, title: t}")},
      {"unknown-node", tree, 36, error, false, swap(tree, "also_depends_on: [N04]", "also_depends_on: [N44]")},
      {"unknown-node", tree, 36, error, false, swap(tree, "also_depends_on: [N04]", "parent: N44")},
      {"unknown-node", "evidence/results/E02.md", 3, warning, false, swap("evidence/results/E02.md", "N06", "N66")},
      {"cycle", tree, 36, error, false, swap(tree, "also_depends_on: [N04]", "also_depends_on: [N06]")},
      {"cycle", tree, 36, error, false, swap(tree, "also_depends_on: [N04]", "also_depends_on: [N05]")},
      {"cycle", tree, 7, error, false, swap(tree, "    description:", "    also_depends_on: N03\n    description:")},
      {"redundant-edge", tree, 36, warning, false, swap(tree, "also_depends_on: [N04]", "also_depends_on: [N01]")},
      {"redundant-edge", tree, 36, warning, false, swap(tree, "also_depends_on: [N04]", "also_depends_on: [N04, N04]")},
      {"unknown-claim", tree, 16, error, false, swap(tree, "evidence: [C01,", "evidence: [C09,")},
      {"unknown-claim", tree, 42, error, false, swap(tree, "as C02 says", "as C22 says")},
      {"unknown-claim", "logic/experiments.md", 4, error, false,
       swap("logic/experiments.md", "**Verifies**: C01", "**Verifies**: C01, C11")},
      {"unknown-claim", claims, 22, error, false, swap(claims, "**Dependencies**: [C01]", "**Dependencies**: [C10]")},
      {"unknown-claim", "logic/related_work.md", 9, warning, false,
       swap("logic/related_work.md", "affected**: C01", "affected**: C07")},
      {"unknown-claim", tree, 16, warning, false, [](const Scratch& s) { s.remove(claims); }},
      {"not-a-claim", tree, 16, warning, false, swap(tree, "evidence: [C01,", "evidence: [O1,")},
      {"unknown-experiment", claims, 9, error, false, swap(claims, "[E01]", "[E07]")},
      {"unknown-experiment", "logic/experiments.md", 30, error, false,
       swap("logic/experiments.md", "**Dependencies**: E01", "**Dependencies**: E03")},
      {"unknown-observation", "logic/problem.md", 14, warning, false,
       swap("logic/problem.md", "**Caused by**: O1", "**Caused by**: O3")},
      {"missing-field", claims, 3, warning, false, swap(claims, "- **Status**: supported\n", "")},
      {"missing-field", tree, 24, warning, false,
       swap(tree, "        failure_mode: They do not on short lists.\n        lesson: Bookkeeping counts.\n", "")},
      {"missing-field", table_md, 1, warning, false, swap(table_md, "**Source**: Table 1\n", "")},
      {"missing-field", table_md, 1, warning, false, swap(table_md, "**Extraction type**: raw_table\n", "")},
      {"missing-field", table_md, 6, warning, false,
       [](const Scratch& s) {
         s.remove("evidence/tables/table1.png");
         s.replace(table_md, "[table1.png](table1.png)", "as printed");
       }},
      {"missing-field", figure_md, 1, warning, false, swap(figure_md, "**Reading confidence**: high\n", "")},
      {"missing-field", figure_md, 1, warning, false,
       swap(figure_md, "**Screenshot**: [figure1.png](figure1.png)\n", "")},
      {"missing-field", claims, 3, info, false, swap(claims, "- **Evidence basis**: Table 1.\n", "")},
      {"missing-field", experiments_md, 3, info, false, swap(experiments_md, "- **Baselines**: merge sort\n", "")},
      {"missing-field", "logic/concepts.md", 3, info, false, swap("logic/concepts.md", "- **Notation**: b\n", "")},
      {"missing-field", "logic/problem.md", 1, info, false,
       swap("logic/problem.md", "## Assumptions", "## What is taken for granted")},
      {"missing-field", "PAPER.md", 1, info, false, swap("PAPER.md", "domain: \"algorithms\"\n", "")},
      {"no-proof", claims, 9, warning, false, swap(claims, "[E01]", "as everybody knows")},
      {"front-matter", "PAPER.md", 1, warning, false, swap("PAPER.md", "year: 2024\n", "")},
      {"front-matter", "PAPER.md", 7, warning, false, swap("PAPER.md", "ara_version: \"1.0\"", "ara_version: \"2.0\"")},
      {"front-matter", "PAPER.md", 1, warning, false, swap("PAPER.md", "---\ntitle", "title")},
      {"open-fence", claims, 25, warning, false, [](const Scratch& s) { s.append(claims, "\n```python\nx = 1\n"); }},
      {"bad-yaml", tree, 44, error, false, [](const Scratch& s) { s.append(tree, "---\ntree: []\n"); }},
      {"no-layer-index", "PAPER.md", 1, warning, false, swap("PAPER.md", "## Layer Index", "## Files")},
      {"unindexed-file", "evidence/tables/table2.md", 0, warning, false,
       [](const Scratch& s) { s.write("evidence/tables/table2.md", "**Source**: Table 2\n"); }},
      {"unindexed-file", "evidence/raw.bin", 0, warning, false,
       [](const Scratch& s) { s.write("evidence/raw.bin", "raw"); }},
      {"unindexed-file", "src/execution/other.py", 0, warning, false,
       [](const Scratch& s) { s.write("src/execution/other.py", "# Grounding: transcribed\n"); }},
      {"unindexed-file", "logic/notes.md", 0, info, false,
       [](const Scratch& s) { s.write("logic/notes.md", "A reader's note.\n"); }},
      {"count-mismatch", "PAPER.md", 27, warning, false,
       swap("PAPER.md", "2 falsifiable claims", "3 falsifiable claims")},
      {"count-mismatch", "PAPER.md", 43, warning, false, swap("PAPER.md", "6-node", "7-node")},
      {"count-mismatch", "PAPER.md", 48, warning, false, swap("PAPER.md", "1 table and", "4 tables and")},
      {"broken-link", "report.md", 3, error, false,
       [](const Scratch& s) { s.write("report.md", "# Report\n\n[claims](logic/claims.md), [n](evidence/v_.md).\n"); }},
      {"broken-link", "report.md", 1, error, false,
       [](const Scratch& s) { s.write("report.md", "![means](<evidence/figures/no such.svg> \"a title\")\n"); }},
      {"broken-link", "report.md", 1, error, false,
       [](const Scratch& s) { s.write("report.md", "`code` [up](../../etc/passwd)\n"); }},
      {"grounding", sort_py, 1, warning, false, swap(sort_py, "# Grounding: transcribed\n", "")},
      {"grounding", sort_py, 1, warning, false, swap(sort_py, "# Grounding: transcribed", "# Grounding: invented")},
      {"grounding", sort_py, 2, warning, false, 
       swap(sort_py, "# Grounding: transcribed", "#!/usr/bin/env python3\nimport sys")},
      {"expected-numbers", experiments_md, 17, warning, false,
       swap(experiments_md, "Insertion sort is faster.", "Insertion sort is 12 % faster.")},
      {"expected-numbers", experiments_md, 28, warning, false,
       swap(experiments_md, "Merge sort overtakes.", "Merge sort takes 0.4 of the time.")},
      {"expected-numbers", experiments_md, 28, warning, false,
       swap(experiments_md, "Merge sort overtakes.", "Merge sort gains 3 ms.")},
      {"bad-source", claims, 6, warning, false, swap(claims, good_source, "Table 1")},
      {"bad-source", claims, 6, warning, false, swap(claims, "«0.4» [result]", "[result]")},
      {"bad-source", claims, 6, warning, false, swap(claims, "«0.4» [result]", "«0.4»")},
      {"bad-source", claims, 6, warning, false, swap(claims, "← evidence/tables/table1.md", "←")},
      {"bad-source", claims, 17, warning, false, swap(claims, "[pending: longer lists]", "[pending]")},
      {"bad-source", claims, 9, warning, false,
       swap(claims, good_source,
            "\n  - 0.4 ← evidence/tables/table1.md «0.4»\n    [result]\n  - 1.1, as everybody knows")},
      {"duplicate-stem", "evidence/tables/E02.md", 0, warning, false,
       [](const Scratch& s) { s.write("evidence/tables/E02.md", "**Source**: E02\n"); }},
      {"changed-file", "evidence/results/E02.csv", 0, error, false,
       [](const Scratch& s) {
         s.record();
         s.replace("evidence/results/E02.csv", "90", "89");
       }},
      {"missing-file", "evidence/results/E02.csv", 0, error, false,
       [](const Scratch& s) {
         s.record();
         s.remove("evidence/results/E02.csv");
       }},
      {"unlisted-file", "evidence/results/E02.csv", 0, error, false,
       [](const Scratch& s) {
         const std::string kept = s.text("evidence/results/E02.csv");
         s.remove("evidence/results/E02.csv");
         s.record();
         s.write("evidence/results/E02.csv", kept);
       }},
      {"extra-file", "margin-note.txt", 0, info, false,
       [](const Scratch& s) {
         s.record();
         s.write("margin-note.txt", "I doubt it.\n");
       }},
  };
  return all;
}

const Finding* find_at(const artifacts::CheckReport& report, const Break& broken) {
  for (const Finding& f : report.findings)
    if (f.rule == broken.rule && f.file == broken.file && f.line == broken.line && f.severity == broken.severity &&
        f.fixable == broken.fixable)
      return &f;
  return nullptr;
}

}  // namespace

TEST_CASE("a clean artifact breaks no rule, not even strictly, and not when it is recorded either") {
  const Scratch clean;
  auto report = clean.check(true);
  CHECK(artifacts::to_text(report).starts_with(clean.path().string() + ": 0 errors, 0 warnings: ok\nnot verified: "));
  clean.record();
  CHECK(clean.check(true).findings.empty());
  CHECK(report.ok);
}

TEST_CASE("each rule fires where the artifact is broken, and not before") {
  for (const Break& broken : breaks()) {
    DYNAMIC_SECTION(broken.rule << " at " << broken.file << ":" << broken.line) {
      const Scratch scratch;
      REQUIRE(count(scratch.check(), broken.rule) == 0);
      broken.apply(scratch);
      const auto report = scratch.check(true);
      INFO(artifacts::to_text(report));
      REQUIRE(find_at(report, broken));
      CHECK(report.ok == (report.errors == 0 && report.warnings == 0));
      if (broken.severity != Severity::info) CHECK_FALSE(report.ok);
    }
  }
}

TEST_CASE("without --strict, only what the published rules refuse or what contradicts etude.json is an error") {
  struct Plain {
    std::string file, from, to, rule;
    Severity severity;
    std::string code;
  };
  for (const Plain& one : std::vector<Plain>{
           {claims, "[E01]", "[E07]", "unknown-experiment", Severity::warning, ""},
           {claims, "**Dependencies**: [C01]", "**Dependencies**: [C10]", "unknown-claim", Severity::error, "ARA109"},
           {tree, "evidence: [C01,", "evidence: [C09,", "unknown-claim", Severity::error, "ARA107"},
           {tree, "as C02 says", "as C22 says", "unknown-claim", Severity::warning, ""},
           {tree, "id: N04", "id: N02", "duplicate-id", Severity::error, "ARA105"},
           {tree, "also_depends_on: [N04]", "also_depends_on: [N44]", "unknown-node", Severity::error, "ARA108"},
           {tree, "also_depends_on: [N04]", "parent: N44", "unknown-node", Severity::warning, ""},
           {tree, "also_depends_on: [N04]", "also_depends_on: [N05]", "cycle", Severity::error, "ARA110"},
           {tree, "failure_mode:", "reason:", "dialect-key", Severity::warning, "ARA002"},
           {claims, "## C01: ", "## C01 — ", "dialect-header", Severity::warning, "ARA004"},
           {"logic/experiments.md", "E01: ", "E01 - ", "dialect-header", Severity::warning, ""},
           {tree, "    description:", "    title: again\n    description:", "duplicate-key", Severity::error, "ARA100"},
           {"logic/experiments.md", "## E02:", "## E01:", "duplicate-id", Severity::warning, ""}}) {
    const Scratch scratch;
    scratch.replace(one.file, one.from, one.to);
    const auto report = scratch.check();
    INFO(artifacts::to_text(report));
    const Finding* found = find(report, one.rule);
    REQUIRE(found);
    CHECK(found->severity == one.severity);
    CHECK(found->same_as == one.code);
    CHECK(report.ok == one.code.empty());
    CHECK((find(report, one.code) != nullptr) == !one.code.empty());
    CHECK_FALSE(scratch.check(true).ok);
    // What a published rule says is said once.
    if (!one.code.empty()) CHECK(artifacts::to_text(report).find(" " + one.rule + " ") == std::string::npos);
  }
  const Scratch changed;
  changed.record();
  changed.append("evidence/results/E02.csv", "x\n");
  CHECK(find(changed.check(), "changed-file")->severity == Severity::error);
  CHECK_FALSE(changed.check().ok);
}

TEST_CASE("an .ara-check.toml decides which published rules are reported, and how") {
  const Scratch scratch;
  scratch.replace(tree, "prior_direction:", "from:");
  CHECK(find(scratch.check(), "ARA005")->severity == Severity::error);
  CHECK(find(scratch.check(), "ARA201")->severity == Severity::warning);
  scratch.write(".ara-check.toml", "ignore = [\"ARA2\"]\nunfixable = [\"ARA005\"]\n[severity]\nARA005 = \"warning\"\n");
  const auto report = scratch.check();
  CHECK(report.ok);
  CHECK(report.configuration.ends_with(".ara-check.toml"));
  CHECK(find(report, "ARA005")->severity == Severity::warning);
  CHECK_FALSE(find(report, "ARA005")->fixable);
  CHECK_FALSE(find(report, "ARA201"));
  CHECK_FALSE(artifacts::check(scratch.path().string(), {.configuration = {.path = {}, .ignored = true}})->ok);
  scratch.write(".ara-check.toml", "ignor = []\n");
  CHECK_FALSE(artifacts::check(scratch.path().string()));
}

TEST_CASE("paths into the surrounding repository are judged only with the repository") {
  const Scratch repository;  // Only its folder is used.
  const fs::path ara = repository / "research" / "ara";
  fs::create_directories(ara.parent_path());
  const Scratch scratch;
  scratch.replace("logic/solution/heuristics.md", "[src/execution/sort.py](../../src/execution/sort.py)",
                  "[code](../../../../lib/sort/heap.py)");
  fs::copy(scratch.path(), ara, fs::copy_options::recursive);
  const auto checked = [&](bool around) {
    const auto report = artifacts::check(ara.string(), {.repository = around ? repository.path().string() : ""});
    REQUIRE(report);
    return *report;
  };
  CHECK(find(checked(false), "outside-root")->severity == Severity::warning);
  CHECK(find(checked(false), "outside-root")->message.find("--repo DIR") != std::string::npos);
  CHECK(find(checked(true), "missing-file")->message.find("does not exist") != std::string::npos);
  repository.write("lib/sort/heap.py", "x");
  CHECK_FALSE(find(checked(true), "missing-file"));
  CHECK_FALSE(find(checked(true), "outside-root"));
  CHECK_FALSE(artifacts::check(ara.string(), {.repository = scratch.path().string()}));
}

TEST_CASE("ids with a suffix, counts of one type and a large index are understood") {
  const Scratch scratch;
  scratch.replace("logic/experiments.md", "## E02:", "## E01-MM:");
  CHECK_FALSE(find(scratch.check(true), "duplicate-id"));
  const Scratch counted;
  counted.replace("PAPER.md", "6-node", "1 experiment node in a 6-node");
  CHECK(count(counted.check(true), "count-mismatch") == 1);
  counted.replace("PAPER.md", "1 experiment node", "2 experiment nodes");
  CHECK_FALSE(find(counted.check(true), "count-mismatch"));
  const Scratch large;
  large.replace("PAPER.md", "## Layer Index", "# Layer Index");
  CHECK(large.check(true).findings.empty());
}

TEST_CASE("a broken front matter is said once, and an open fence hides nothing") {
  const Scratch scratch;
  scratch.replace("PAPER.md", "title: \"", "title: *nothing \"");
  const auto report = scratch.check();
  CHECK(count(report, "front-matter") == 0);
  CHECK(count(report, "bad-yaml") + count(report, "ARA210") == 2);
  CHECK(report.warnings == 1);
  const Scratch fenced;
  fenced.replace(claims, "## C01: ", "```\n\n## C01: ");
  CHECK(find(fenced.check(), "open-fence"));
  CHECK_FALSE(find(fenced.check(), "unknown-claim"));
}

TEST_CASE("every rule of the table has a case that breaks it") {
  // The next test, and record_test.cc, which has an artifact with a log to contradict.
  std::set<std::string> broken{"unreadable-file", "log-mismatch", "workspace-mismatch"};
  for (const Break& b : breaks()) broken.insert(b.rule);
  for (const artifacts::Rule& rule : artifacts::check_rules()) CHECK(broken.count(std::string(rule.id)) == 1);
  CHECK(broken.size() == artifacts::check_rules().size());
}

TEST_CASE("links of the report that lead somewhere, or nowhere on purpose, are no finding") {
  const Scratch scratch;
  scratch.write("report.md",
                "# Report\n\n[a](logic/claims.md#c01) [b](#here) [c](https://example.org/none) [d](./evidence/)\n"
                "`[code](gone.md)` and ``a ` [code](gone.md)`` and \\[no link\\](gone.md\\)\n"
                "[e](logic/claims%2Emd) [f](<logic/claims.md> \"title\")\n\n```\n[g](gone.md)\n```\n");
  const auto report = scratch.check();
  INFO(artifacts::to_text(report));
  CHECK(count(report, "broken-link") == 0);
}

TEST_CASE("what others write a little otherwise breaks no rule") {
  for (const auto& [file, from, to] : std::vector<std::array<const char*, 3>>{
           {sort_py, "# Grounding: transcribed", "#!/usr/bin/env python3\n# Grounding: Transcribed from the appendix"},
           {sort_py, "# Grounding: transcribed", "\"\"\"Grounding: reconstructed.\"\"\""},
           {sort_py, "# Grounding: transcribed", "/* Grounding: reconstructed */"},
           {claims, good_source, "\n  - time: 0.4 <- evidence/tables/table1.md \"0.4\" [result]"},
           {claims, good_source, "Of Table 1:\n  1. 0.4 ← evidence/tables/table1.md\n     “0.4” [Result, first row]"},
           {claims, good_source, "[Pending: to be timed again]"},
           {claims, good_source, "none: the claim rests on no number"},
           {experiments_md, "Insertion sort is faster.", "Insertion sort beats merge-2 at n = 0.5, as Fig. 3.1 says."},
           {experiments_md, "Insertion sort is faster.", "Of 6 lists all 3 of the top-5 get faster from 20 to 110."},
           {related_md, "**Type**: extends", "**Type**: Extends (the switch)"},
           {related_md, "10.1145/359619.359631", "https://doi.org/10.1145/359619.359631 (accepted)."},
           {related_md, "10.1145/359619.359631", "doi: 10.1016/S0140-6736(05)71146-6; arXiv:1512.03385v2"},
           {related_md, "10.1145/359619.359631",
            "arXiv hep-th/9901001, [arXiv:hep-th/9901001](https://arxiv.org/abs/hep-th/9901001)"},
           {related_md, "10.1145/359619.359631", "https://arxiv.org/pdf/1409.1556.pdf, arXiv:1505.00387 (Highway)"},
           {related_md, "10.1145/359619.359631", "not available: refs [5], [36]; about 10.5 % cite it; no doi: none"},
           {"logic/problem.md", "## Assumptions", "## 4. Assumptions and scope"},
           {table_md, "raw_table\n**Screenshot**: [table1.png](table1.png)", "derived_subset"},
           {figure_md, "[figure1.png](figure1.png)", "see the paper"}}) {
    const Scratch scratch;
    scratch.replace(file, from, to);
    INFO(artifacts::to_text(scratch.check()));
    CHECK(scratch.check().findings.empty());
  }
  const Scratch scratch;
  scratch.remove("evidence/tables/table1.png");
  scratch.replace(table_md, "[table1.png](table1.png)", "not available: the paper is lost");
  CHECK(scratch.check().findings.empty());
}

TEST_CASE("texts that are sound, code as it ran and the secret are no finding") {
  const Scratch scratch;
  scratch.write("src/workspace/ab/settings.json", "{ // with a comment\n}");
  scratch.write("src/evaluator/test/odd.yaml", "a: [");
  scratch.write("src/workspace/ab/notes.md", "\xff");
  scratch.write("staging/observations.yaml", "observations: []\n---\nanother: document\n");
  scratch.write("level2_report.json", "\xEF\xBB\xBF{\"largest\": 1e999}\n");
  scratch.write("README.md", "Read me: ← «all».\n");
  scratch.write(".ara_env", "a: [");
  scratch.write("data/dataset.md", "# Data\n");
  scratch.link("../.ara_env", "data/notes.yaml");
  const auto report = scratch.check();
  INFO(artifacts::to_text(report));
  for (const char* rule : {"bad-yaml", "bad-json", "invalid-utf8", "too-large"}) CHECK(count(report, rule) == 0);
}

TEST_CASE("a file that may not be read is an error, not an absent file") {
  const Scratch scratch;
  fs::permissions(scratch / claims, fs::perms::none);
  // Root reads everything, so it has to become somebody else for a moment.
  const bool root = geteuid() == 0;
  if (root) REQUIRE(seteuid(65534) == 0);
  const auto report = scratch.check();
  if (root) REQUIRE(seteuid(0) == 0);
  const Finding* found = find(report, "unreadable-file");
  REQUIRE(found);
  CHECK(found->file == claims);
  CHECK_FALSE(report.ok);
}

TEST_CASE("every message ends with the sentence that says how to mend it") {
  for (const Break& broken : breaks()) {
    const Scratch scratch;
    broken.apply(scratch);
    for (const Finding& f : scratch.check().findings)
      for (const artifacts::Rule& rule : artifacts::check_rules())
        if (rule.id == f.rule) CHECK(f.message.ends_with(": " + std::string(rule.mend)));
  }
}

TEST_CASE("the page on the format lists every rule with its severity and its remedy") {
  const std::string page = read_all(fs::path(tests::source_dir()) / "docs/artifact.md");
  for (const artifacts::Rule& rule : artifacts::check_rules()) {
    const std::string row = "| `" + std::string(rule.id) + "` | " + std::string(artifacts::name_of(rule.severity));
    CHECK(page.find(row) != std::string::npos);
    CHECK(page.find(std::string(rule.mend)) != std::string::npos);
  }
}
