// What the readers make of Markdown, YAML and their dialects; and how fast.

#include <memory>

#include <nlohmann/json.hpp>

#include "artifacts/read/artifact_reader.h"
#include "artifacts/read/references.h"
#include "tests/artifacts/samples/scratch.h"
#include "tests/cost.h"
#include "tests/rounds.h"

using artifacts::Block;
using artifacts::Findings;
using artifacts::HeaderStyle;
using artifacts::Layer;

namespace {

Layer claims_of(std::string_view text) {
  Findings findings;
  constexpr std::string_view prefixes[] = {"C"};
  return artifacts::read_layer(text, "logic/claims.md", prefixes, true, findings);
}

artifacts::Tree tree_of(std::string_view text, Findings& findings) {
  return artifacts::read_tree(text, "t.yaml", findings);
}

std::string names(const std::vector<artifacts::Reference>& references) {
  std::string all;
  for (const auto& r : references)
    all += std::string(r.kind == artifacts::Reference::Kind::id     ? "#"
                       : r.kind == artifacts::Reference::Kind::path ? "/"
                                                                    : "") +
           r.text + " ";
  return all;
}

/// A clean artifact with a tree of so many nodes.
std::unique_ptr<Scratch> grown_tree(int nodes) {
  auto scratch = std::make_unique<Scratch>();
  std::string text = "tree:\n";
  for (int i = 0; i < nodes; ++i) {
    const std::string id = std::to_string(10'000 + i);
    text += "  - id: N" + id + "\n    type: experiment\n    title: \"Trial number " + id +
            "\"\n    result: The time fell.\n    evidence: [C01]\n" +
            (i > 0 ? "    also_depends_on: [N" + std::to_string(9'999 + i) + "]\n" : "");
  }
  scratch->write("trace/exploration_tree.yaml", text);
  scratch->replace("PAPER.md", "6-node", std::to_string(nodes) + "-node");
  scratch->replace("evidence/results/E02.md", "N06", "N10006");
  REQUIRE(scratch->check().findings.empty());
  return scratch;
}

/// A clean artifact with so many tables, each with its picture, and the hash of every file.
std::unique_ptr<Scratch> many_tables(int tables) {
  auto scratch = std::make_unique<Scratch>();
  std::string rows;
  const std::string table = scratch->text("evidence/tables/table1.md");
  for (int i = 2; i <= tables; ++i) {
    const std::string stem = "table" + std::to_string(i);
    scratch->write("evidence/tables/" + stem + ".md", table);
    scratch->write("evidence/tables/" + stem + ".png", std::string(20'000, '1'));
    rows += "| [tables/" + stem + ".md](tables/" + stem + ".md) | t | C01 | d |\n";
  }
  scratch->replace("evidence/README.md", "\n## Figures", rows + "\n## Figures");
  scratch->replace("PAPER.md", "1 table and", std::to_string(tables) + " tables and");
  scratch->record();
  const auto report = scratch->check(true);
  INFO(artifacts::to_text(report));
  REQUIRE(report.ok);
  return scratch;
}

}  // namespace

TEST_CASE("claim headers are read in every dialect") {
  const Layer layer = claims_of(
      "# Claims\n## C01: colon\n### C02 - hyphen\n## C03 — em dash\n## C04 – en dash\n## [C05] bracket\n## C06\n"
      "##C07: no space\n## **C08**: bold\n## C09. dot\n## Caveats\n## C1x2: no id\n## D01: other layer\n## C10: # x "
      "##\n");
  std::string seen;
  for (const Block& b : layer.blocks)
    if (!b.id.empty())
      seen += b.id + "=" + b.title +
              (b.style == HeaderStyle::colon  ? ":"
               : b.style == HeaderStyle::dash ? "-"
               : b.style == HeaderStyle::bare ? "?"
                                              : ".") +
              " ";
  CHECK(
      seen ==
      "C01=colon: C02=hyphen- C03=em dash- C04=en dash- C05=bracket? C06=. C07=no space: C08=bold: C09=dot? C10=# x: ");
}

TEST_CASE("fields are read with their lines, whatever their punctuation") {
  const Layer layer = claims_of(
      "## C01: t\n"
      "- **Statement**: one\n  two\n\n  three\n"
      "* **Status:** supported\n"
      "**Proof**: [E01]\n"
      "- **Taste** (optional):\n  - first\n  - second\n"
      "- **No field** in bold\n"
      "- plain item\n"
      "### Conditions\nheading as field\n"
      "- **Tags**: a\n```\n- **Status**: in code\n```\n<!--\n- **Hidden**: comment\n-->\n"
      "## C02: next\n");
  const Block* c = layer.find("C01");
  REQUIRE(c);
  CHECK(c->field("Statement")->text == "one\ntwo\n\nthree");
  CHECK(c->field("statement")->line == 2);
  CHECK(c->field("Status")->text == "supported");
  CHECK(c->field("Proof")->text == "[E01]");
  CHECK(c->field("Proof")->line == 7);
  CHECK(c->field("Taste")->text == "- first\n- second");
  CHECK(c->field("Taste")->line == 8);
  CHECK(c->field("Taste")->text_line == 9);
  CHECK_FALSE(c->field("No field"));
  CHECK(c->field("Conditions")->text == "heading as field");
  CHECK(c->field("Tags")->text == "a\n```\n- **Status**: in code\n```");
  CHECK_FALSE(c->field("Hidden"));
  CHECK(c->prose.size() == 2);
  CHECK(layer.find("C02")->fields.empty());
}

TEST_CASE("Windows line ends and a byte order mark change nothing") {
  const Scratch plain, windows;
  std::string text = plain.text("logic/claims.md");
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, "\r");
  windows.write("logic/claims.md", "\xEF\xBB\xBF" + text);
  CHECK(windows.check(true).ok);
  windows.replace("logic/claims.md", "[E01]", "[E09]");
  CHECK(find(windows.check(), "unknown-experiment")->line == 9);
}

TEST_CASE("references are told from the prose around them") {
  using artifacts::references_in;
  CHECK(names(references_in("[E01, E04, official/score.log, README:21]", 1)) ==
        "#E01 #E04 /official/score.log README:21 ");
  CHECK(names(references_in("src/a.py:25-27, 173", 1)) == "/src/a.py 173 ");
  CHECK(names(references_in("`src/my file.md:3,18-19` and C01–C03.", 1)) == "/src/my file.md and #C01 #C03 ");
  CHECK(names(references_in("[table](../evidence/t.md#top), see https://x.org/a.md", 1)) ==
        "/../evidence/t.md see https://x.org/a.md ");
  CHECK(names(references_in("e.g. I/O and/or evidence/tables/", 1)) == "e.g I/O and/or /evidence/tables/ ");
  const auto lines = references_in("E01\nE02 [E03\nx](y.md)\nE04", 10);
  CHECK(lines[1].line == 11);
  CHECK(lines.back().line == 13);
  CHECK(artifacts::ids_in_prose("trained on C4 as C04 says", "C", 1).size() == 1);
  CHECK(artifacts::ids_in_prose("C4", "C", 1).size() == 1);
  CHECK(artifacts::ids_in("RC01 C01x C01_2 xC02 (C03)", "C", 1).size() == 2);  // C01x, C03
}

TEST_CASE("paths are joined lexically and cannot climb out") {
  using artifacts::joined;
  CHECK(joined("logic/solution", "../../src/a.py") == "src/a.py");
  CHECK(joined("logic", "./claims.md") == "logic/claims.md");
  CHECK(joined("logic", "/src/a.py") == "src/a.py");
  CHECK_FALSE(joined("logic", "../../x"));
  CHECK(joined("", "a/../..//b") == std::nullopt);
}

TEST_CASE("a tree keeps the order, the lines and every key of its nodes") {
  Findings findings;
  const auto t = tree_of(
      "tree:\n- id: N01\n  type: experiment\n  title: t\n  result: {loss: 7.5, note: [a, b]}\n  isolated: true\n"
      "  evidence: \"one, two\"\n  children:\n  - {id: N02, type: insight, title: u}\n  - {id: N03, type: pivot, "
      "from: a, to: b}\n- id: N04\n  type: question\n  title: v\n  children: [N02, N03]\n  also_depends_on: N02, N03\n",
      findings);
  REQUIRE(t.nodes.size() == 4);
  CHECK(t.nodes[0].fields.size() == 2);
  CHECK(t.nodes[0].fields[0].key == "result");
  CHECK(artifacts::flat(t.nodes[0].fields[0].value) == "loss: 7.5, note: a, b");
  CHECK(t.nodes[0].evidence.size() == 1);
  CHECK(t.nodes[1].parent == 0);
  CHECK(t.nodes[2].line == 10);
  CHECK(t.nodes[2].field("prior_direction")->text == "a");
  CHECK(t.nodes[2].fields[0].written == "from");
  CHECK(t.nodes[3].parent == -1);
  CHECK(t.nodes[3].children_ids.size() == 2);
  CHECK(t.nodes[3].also_depends_on[1].text == "N03");
  CHECK(findings.count(artifacts::Severity::warning) == 2);
}

TEST_CASE("a legacy root may be one node or a list") {
  for (const char* text :
       {"root:\n  id: N01\n  type: question\n  title: t\n  children:\n    - {id: N02, type: insight}\n",
        "root:\n  - {id: N01, type: question, title: t, children: [{id: N02, type: insight}]}\n"}) {
    Findings findings;
    const auto t = tree_of(text, findings);
    CHECK(t.legacy_root);
    CHECK(t.nodes.size() == 2);
    CHECK(findings.sorted().size() == 1);
    CHECK(findings.sorted()[0].fixable);
  }
}

TEST_CASE("declared counts are compared only where they are exact") {
  const Scratch scratch;
  for (const char* fine : {"2 claims", "about CIFAR-10 claims", "~3 claims", "3+ claims", "3 supported claims",
                           "1 of 2 claims", "5 % of claims", "9 lives, claims"}) {
    scratch.replace("PAPER.md", "2 falsifiable claims", fine);
    CHECK(count(scratch.check(), "count-mismatch") == 0);
    scratch.replace("PAPER.md", fine, "2 falsifiable claims");
  }
}

TEST_CASE("an index may link from the root or from its own folder, or name bare paths") {
  const Scratch scratch;
  scratch.replace("PAPER.md", "[problem.md](logic/problem.md)", "`problem.md`");
  scratch.replace("PAPER.md", "[claims.md](logic/claims.md)", "logic/claims.md");
  scratch.replace("PAPER.md", "[execution/sort.py](src/execution/sort.py)", "[all code](src/execution/)");
  scratch.replace("evidence/README.md", "(tables/table1.md)", "(evidence/tables/table1.md#rows)");
  scratch.replace("evidence/README.md", "[figures/figure1.md](figures/figure1.md)", "`figure1.md`");
  scratch.replace("evidence/README.md",
                  "| File | Source | Claims | Description |\n|------|--------|--------|-------------|\n| "
                  "[results/E02.md](results/E02.md) | E02 | C02 | Runs of E02 |\n",
                  "- all of [results](results/*.md)\n");
  // The published checker reads fewer forms of an index.
  const auto report = scratch.check();
  INFO(artifacts::to_text(report));
  for (const auto& finding : report.findings) CHECK(finding.published);
}

TEST_CASE("the JSON has exactly the keys of the contract") {
  const Scratch scratch;
  scratch.replace("logic/claims.md", "[E01]", "[E09]");
  const auto report = artifacts::to_json(scratch.check(true));
  CHECK(report["artifact"] == scratch.path().string());
  CHECK(report["ok"] == false);
  CHECK(report["errors"] == 1);
  CHECK(report["warnings"] == 0);
  CHECK(report.size() == 6);
  CHECK(report["not_verified"].is_array());
  REQUIRE(report["findings"].size() == 1);
  CHECK(report["findings"][0] ==
        nlohmann::json{{"rule", "unknown-experiment"},
                       {"severity", "error"},
                       {"file", "logic/claims.md"},
                       {"line", 9},
                       {"message",
                        "Proof of C01 refers to 'E09', which is no experiment: name an experiment of "
                        "logic/experiments.md, or add it there"},
                       {"fixable", false},
                       {"published", false}});
}

TEST_CASE("readers of one text share what was parsed, and another text is parsed anew") {
  artifacts::ParsedYaml parsed;
  const std::string one = "tree:\n- {id: N1, type: question, title: t}\n", two = one + "---\nx: 1\n",
                    broken = "tree: [";
  const artifacts::YamlDocument& first = parsed.of(one);
  const void* const value = &std::get<artifacts::YamlValue>(first.value);
  CHECK(&std::get<artifacts::YamlValue>(parsed.of(std::string(one)).value) == value);
  for (const std::string& text : {one, two, broken, one}) {
    CAPTURE(text);
    Findings shared, own;
    const artifacts::Tree a = artifacts::read_tree(text, "t.yaml", shared, parsed), b = tree_of(text, own);
    CHECK(a.nodes.size() == b.nodes.size());
    REQUIRE(shared.sorted().size() == own.sorted().size());
    for (std::size_t i = 0; i < own.sorted().size(); ++i) CHECK(shared.sorted()[i].message == own.sorted()[i].message);
    CHECK(parsed.of(text).second_document == (text == two ? 3 : 0));
  }
}

TEST_CASE("the time to check a tree of 10,000 nodes grows with its size only") {
  CHECK(tests::growth(tests::rounds(2'500), grown_tree, [](const auto& scratch) { REQUIRE(scratch->check().ok); }) <
        tests::linear);
}

TEST_CASE("the time to check an artifact of 400 files grows with their number only") {
  CHECK(tests::growth(45, many_tables, [](const auto& scratch) { REQUIRE(scratch->check().ok); }) < tests::linear);
}
