// The published rules: each has a case, the published fixtures give the published counts, and a tree loads exactly if
// the published reader loads it.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "artifacts/published/judge_artifact.h"
#include "artifacts/read/safe_root.h"
#include "tests/places.h"

using artifacts::Severity;
using namespace artifacts::published;

namespace {

struct Counts {
  std::size_t errors = 0, warnings = 0, fixable = 0;
  bool operator==(const Counts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Counts& counts) {
  return out << counts.errors << " errors, " << counts.warnings << " warnings, " << counts.fixable << " fixable";
}

Counts counts_of(const std::vector<PublishedFact>& found) {
  Counts counts;
  for (const PublishedFact& one : found) {
    const PublishedRule& rule = rule_of(one.code);
    ++(rule.fixable ? counts.fixable : rule.severity == Severity::error ? counts.errors : counts.warnings);
  }
  return counts;
}

std::vector<PublishedFact> found_in(const std::string& folder) {
  const auto root = artifacts::SafeRoot::open(folder);
  REQUIRE(root);
  return judge(read_pages(*root, root->list()));
}

/// "ARA105:4 ARA203:2", in the order of the findings.
std::string codes(const std::vector<PublishedFact>& found) {
  std::string text;
  for (const PublishedFact& one : found)
    text += (text.empty() ? "" : " ") + std::string(rule_of(one.code).name) + ":" + std::to_string(one.line);
  return text;
}

std::string codes_of_tree(const std::string& tree, const std::optional<std::string>& claims = std::nullopt) {
  Pages pages;
  pages.tree = tree;
  pages.claims = claims;
  return codes(judge(pages));
}

const std::string two = "tree:\n- id: N1\n  type: question\n  title: t\n- id: N2\n  type: experiment\n";

struct Case {
  std::string tree, codes;
};

}  // namespace

TEST_CASE("the published fixtures have the published counts") {
  const std::string folder = tests::source_dir() + "/tests/artifacts/";
  for (const auto& [name, counts] :
       std::map<std::string, Counts>{{"published/fixtures/published-fields", {0, 0, 0}},
                                     {"published/fixtures/published-fields-aliased", {0, 3, 3}},
                                     {"published/fixtures/published-fields-unknown", {0, 1, 0}},
                                     {"published/fixtures/published-fields-wrong-kind", {0, 14, 0}},
                                     {"corpus/andes", {0, 0, 0}},
                                     {"corpus/expbench", {0, 4, 3}},
                                     {"corpus/minimal", {0, 0, 0}},
                                     {"corpus/rebench-restricted_mlm", {1, 8, 14}},
                                     {"corpus/resnet", {0, 0, 0}}}) {
    INFO(name);
    CHECK(counts_of(found_in(folder + name)) == counts);
  }
}

TEST_CASE("each published rule about the tree and the claims fires where it should") {
  const std::string claims = "# Claims\n\n## C01: one\n- **Dependencies**: [C02]\n\n## C02: two\n- **Statement**: s\n";
  const std::vector<Case> cases{
      {"root:\n  id: N1\n  type: question\n", "ARA001:1"},
      {"tree:\n- id: N1\n  type: dead_end\n  reason: x\n", "ARA206:4 ARA002:4"},
      {"tree:\n- id: N1\n  justification: x\n  type: decision\n", "ARA201:3 ARA003:3"},
      {"tree:\n- id: N1\n  type: pivot\n  from: x\n  to: y\n  trigger: z\n",
       "ARA201:4 ARA201:5 ARA201:6 ARA005:4 ARA006:5 ARA007:6"},
      {"tree: text\n", "ARA100:1"},
      {"tree: []\nroot: {id: N1, type: question}\n", "ARA102:2 ARA001:2"},
      {"meta: x\n", "ARA200:1 ARA103:1"},
      {"tree:\n- type: question\n", "ARA104:2"},
      {"tree:\n- id: N1\n  type: question\n- id: N1\n  type: question\n", "ARA105:4"},
      {"tree:\n- id: N1\n  type: question\n  evidence:\n  - C01\n  - C09\n  - Table 9\n", "ARA107:6"},
      {"tree:\n- id: N1\n  type: question\n  also_depends_on: [N9]\n", "ARA108:4"},
      {"tree: []\n", "ARA202:1"},
      {"tree:\n- id: N1\n  result: x\n", "ARA203:2 ARA204:3"},
      {"tree:\n- id: N1\n  type: hypothesis\n  result: x\n", "ARA205:4"},
      {"tree:\n- id: N1\n  type: question\n  lesson: x\n  alternatives: [a]\n", "ARA206:4 ARA206:5"},
      {"tree:\n- id: N1\n  type: question\n  children:\n  - id: N2\n    type: insight\n    also_depends_on: [N1]\n",
       "ARA208:7"},
      {two + "  also_depends_on: [N1, N1]\n", "ARA209:7"},
      {two + "  also_depends_on: [N3]\n- id: N3\n  type: insight\n  also_depends_on: [N2]\n", "ARA110:10"},
      {two + "  also_depends_on: [N2]\n", "ARA110:7"},
  };
  std::set<std::string> seen;
  for (const Case& one : cases) {
    INFO(one.tree);
    CHECK(codes_of_tree(one.tree, claims) == one.codes);
    for (const PublishedRule& rule : rules())
      if (one.codes.find(rule.name) != std::string::npos) seen.insert(std::string(rule.name));
  }
  CHECK(codes_of_tree("tree:\n- id: N1\n  type: question\n  evidence: C01\n") == "ARA207:4");
  CHECK(codes_of_tree(two, "## C01: a\n## C01: b\n") == "ARA106:2");
  CHECK(codes_of_tree(two, "## C01: a\n- **Dependencies**: C02, C03\n## C02: b\n") == "ARA109:2");
  CHECK(codes_of_tree(two, "## C01 — a\n## C02 - b\n## C03 –\n### C04 — d\n") == "ARA004:1 ARA004:2");
  CHECK(codes(judge({})) == "ARA101:0");
  seen.insert({"ARA207", "ARA106", "ARA109", "ARA004", "ARA101"});
  // The pages have a test of their own.
  seen.insert({"ARA210", "ARA211", "ARA212", "ARA213", "ARA214", "ARA215"});
  for (const PublishedRule& rule : rules()) CHECK(seen.contains(std::string(rule.name)));
}

TEST_CASE("a parent and what it leads to may build on each other only downwards") {
  // From a node to what it depends on, and from a parent to its child: the published direction.
  CHECK(codes_of_tree("tree:\n- id: N1\n  type: question\n  also_depends_on: [N2]\n  children:\n  - id: N2\n    type: "
                      "insight\n") == "");
  CHECK(codes_of_tree("tree:\n- id: N1\n  type: question\n  children:\n  - id: N2\n    type: insight\n    "
                      "also_depends_on: [N3]\n- id: N3\n  type: question\n  also_depends_on: [N1]\n") == "ARA110:10");
}

TEST_CASE("each published rule about the other pages fires where it should, unless the tree has an error") {
  Pages pages;
  pages.tree = two;
  pages.paper = "---\ntitle: [a]\n---\n# T\n";
  pages.concepts = "# Concepts\n## One\n- **Definition**: d\n## Two\n- Notation: n\n## Three\n- Definition:\n";
  pages.related_work = "## RW01: a\n- **DOI**: 10.1/2\n## RW02: b\n- **Type**: extends\n## Other\n";
  pages.evidence_index =
      "| Claims | File |\n|---|---|\n| C01 | [t1](tables/t1.md) |\n| C01 | `figures/f9.md` |\n| | f1 (png/md) |\n"
      "| | Some fact |\n";
  pages.evidence = {{"figures", "f1"}, {"figures", "t1"}, {"tables", "some-fact"}, {"tables", "t1"}, {"tables", "t2"}};
  CHECK(codes(judge(pages)) == "ARA210:2 ARA211:4 ARA211:6 ARA212:3 ARA213:0 ARA214:0 ARA215:4");
  pages.evidence_index.reset();
  pages.paper = "# No front matter\n---\ntitle: [a]\n---\n";
  pages.concepts = pages.related_work = std::nullopt;
  pages.evidence = {{"tables", "t1"}};
  CHECK(codes(judge(pages)) == "ARA214:0");
  pages.tree = "tree:\n- type: question\n";
  CHECK(codes(judge(pages)) == "ARA104:2");
}

TEST_CASE("a tree loads exactly if the published reader loads it") {
  const std::string node = "tree:\n- id: N1\n  type: experiment\n  ";
  for (const char* line : {"result: 42",
                           "result: true",
                           "result: ~",
                           "result: |\n    text",
                           "alternatives: ~",
                           "source_refs: [1, 2.5]",
                           "source_refs: []",
                           "evidence: Table 3",
                           "evidence: \"3\"",
                           "evidence: [C01, \"3\"]",
                           "isolated: yes",
                           "isolated: \"true\"",
                           "children:",
                           "children: ~",
                           "bogus: {a: [1, {b: 2}]}",
                           "title: 'it''s'",
                           "<<: {title: t}",
                           "description: \"a\n    b\"",
                           "description: \"a\n\"",
                           "timestamp: 2026-08-19"})
    CHECK(codes_of_tree(node + line + "\n").find("ARA100") == std::string::npos);
  for (const char* line : {"result: [a]",
                           "result: {a: b}",
                           "title: [a]",
                           "alternatives: a",
                           "alternatives: [~]",
                           "alternatives: [[a]]",
                           "source_refs: a",
                           "source_refs: {a: b}",
                           "evidence: 3",
                           "evidence: 4.2",
                           "evidence: no",
                           "evidence: [C01, 3]",
                           "evidence: [~]",
                           "evidence: {a: b}",
                           "also_depends_on: N2",
                           "isolated: ~",
                           "isolated: maybe",
                           "children: N2",
                           "children: [N2]",
                           "children: {id: N2}",
                           "type: question",
                           "bogus: {a: 1, a: 2}",
                           "bogus: .inf",
                           "<<: text",
                           "? [a]\n  : b",
                           "title: a: b",
                           "title: [a",
                           "title: *unknown",
                           "description: \"a\n   b\"",
                           "source_refs: [a,\n  b]"})
    CHECK(codes_of_tree(node + line + "\n") == codes_of_tree(node + line + "\n").substr(0, 8));
  for (const char* text : {"", "# nothing\n", "---\n", "~\n"}) CHECK(codes_of_tree(text) == "ARA103:1");
  CHECK(codes_of_tree("%YAML 1.2\n---\n" + two + "...\n") == "");
  CHECK(codes_of_tree(two + "---\n").starts_with("ARA100"));
  CHECK(codes_of_tree(two + "---\n" + two) == "ARA100:7");
  CHECK(codes_of_tree("tree: []\ntree: []\n") == "ARA100:2");
  CHECK(codes_of_tree("- id: N1\n").starts_with("ARA100"));
  CHECK(codes_of_tree("tree:\n- text\n") == "ARA100:2");
  CHECK(codes_of_tree("tree:\n-\n") == "ARA104:2");
}

TEST_CASE("a deep tree loads up to the published depth, and a deeper one is refused without being followed") {
  const auto deep = [](int levels) {
    std::string text = "tree:\n";
    for (int i = 0; i < levels; ++i) {
      const std::string indent(static_cast<std::size_t>(2 * i), ' ');
      text += indent + "- id: N" + std::to_string(i) + "\n" + indent + "  type: question\n";
      if (i + 1 < levels) text += indent + "  children:\n";
    }
    return text;
  };
  CHECK(codes_of_tree(deep(31)) == "");
  CHECK(codes_of_tree(deep(32)).starts_with("ARA100"));
  CHECK(codes_of_tree(deep(2000)).starts_with("ARA100"));
}

TEST_CASE("ten thousand nodes in one chain of dependencies are judged without recursion") {
  std::string text = "tree:\n";
  for (int i = 0; i < 10'000; ++i) {
    text += "- id: N" + std::to_string(i) + "\n  type: insight\n";
    if (i > 0) text += "  also_depends_on: [N" + std::to_string(i - 1) + "]\n";
  }
  CHECK(codes_of_tree(text) == "");
  CHECK(codes_of_tree(text + "- id: N10000\n  type: insight\n  also_depends_on: [N10000]\n").starts_with("ARA110"));
}
