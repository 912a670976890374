// `check --fix`: surgical, guarded, and nothing to do when it is run again.
#include "artifacts/check/fix.h"

#include <random>
#include <variant>

#include <sys/stat.h>
#include <unistd.h>

#include "artifacts/read/artifact_reader.h"
#include "artifacts/text/untrusted_text.h"
#include "tests/artifacts/samples/scratch.h"

namespace fs = std::filesystem;

namespace {

artifacts::FixReport fixed(const Scratch& scratch) {
  auto report = artifacts::fix(scratch.path().string());
  REQUIRE(report);
  return *report;
}

std::string respelled_tree(std::string_view text) {
  const auto result = artifacts::respell_tree(text);
  // What is mended once stays as it is.
  const auto again = artifacts::respell_tree(result.bytes);
  CHECK(again.bytes == result.bytes);
  CHECK(again.fixes.empty());
  return result.bytes;
}

std::string respelled_claims(std::string_view text) {
  const auto result = artifacts::respell_claims(text);
  const auto again = artifacts::respell_claims(result.bytes);
  CHECK(again.bytes == result.bytes);
  CHECK(again.fixes.empty());
  return result.bytes;
}

/// Counts findings of etude's own rules. They include everything that `--fix` can correct.
std::size_t fixable(const artifacts::CheckReport& report) {
  std::size_t n = 0;
  for (const auto& f : report.findings) n += f.fixable && !f.published ? 1 : 0;
  return n;
}

std::size_t own(const artifacts::CheckReport& report) {
  std::size_t n = 0;
  for (const auto& f : report.findings) n += f.published ? 0 : 1;
  return n;
}

}  // namespace

TEST_CASE("each old spelling of the tree becomes the canonical one, and no other byte changes") {
  CHECK(respelled_tree("root:\n  - {id: N1, type: question, title: t}\n") ==
        "tree:\n  - {id: N1, type: question, title: t}\n");
  CHECK(respelled_tree("tree:\n- id: N1\n  type: dead_end\n  reason:   >\n    it fell\n    over # no comment\n") ==
        "tree:\n- id: N1\n  type: dead_end\n  why_failed:   >\n    it fell\n    over # no comment\n");
  CHECK(respelled_tree("tree: [{justification: \"reason: from\", id: N1, type: decision, title: root}]") ==
        "tree: [{rationale: \"reason: from\", id: N1, type: decision, title: root}]");
  CHECK(respelled_tree("tree:\n- {type: pivot, from: a, to: b, trigger: c, \"from \": d}\n") ==
        "tree:\n- {type: pivot, prior_direction: a, new_direction: b, reason: c, \"from \": d}\n");
  CHECK(respelled_tree("root: # the old name\n- type: pivot\n  'from': x\n  \"to\": y\n") ==
        "tree: # the old name\n- type: pivot\n  'prior_direction': x\n  \"new_direction\": y\n");
  CHECK(respelled_tree("tree:\n- type: question\n  children:\n  - type: dead_end\n    reason: x\n") ==
        "tree:\n- type: question\n  children:\n  - type: dead_end\n    why_failed: x\n");
}

TEST_CASE("a single node under root: becomes a list of one, with every line of it") {
  CHECK(respelled_tree("root:\n  id: N1\n  type: question\n") == "tree:\n  - id: N1\n    type: question\n");
  CHECK(respelled_tree("# a\nroot: # old\n\n  # first\n  id: N1\n  title: >\n    long\n\n    text\n# at the margin\n"
                       "  children:\n  - {id: N2, type: pivot, from: a}\nmeta: x\n") ==
        "# a\ntree: # old\n\n  # first\n  - id: N1\n    title: >\n      long\n\n      text\n# at the margin\n"
        "    children:\n    - {id: N2, type: pivot, prior_direction: a}\nmeta: x\n");
  CHECK(respelled_tree("root:\r\n id: N1\r\n type: dead_end\r\n reason: x\r\n") ==
        "tree:\r\n - id: N1\r\n   type: dead_end\r\n   why_failed: x\r\n");
  for (const char* text : {"root: {id: N1, type: question}\n", "root:\n  {id: N1,\n   type: question}\n"}) {
    const auto left = artifacts::respell_tree(text);
    CHECK(left.bytes == text);
    CHECK_FALSE(left.left.empty());
  }
}

TEST_CASE("what .ara-check.toml calls unfixable is left as it is") {
  const auto allowed =
      artifacts::published::Configuration::parse("unfixable = [\"ARA001\", \"ARA004\", \"ARA005\"]", "x.toml");
  REQUIRE(allowed);
  const std::string root = "root:\n- id: N1\n  type: pivot\n  from: a\n  to: b\n";
  CHECK(artifacts::respell_tree(root, *allowed).bytes ==
        "root:\n- id: N1\n  type: pivot\n  from: a\n  new_direction: b\n");
  CHECK(artifacts::respell_claims("## C01 — t\n", *allowed).fixes.empty());
}

TEST_CASE("line ends, byte order marks, comments and what is no UTF-8 stay as they are") {
  CHECK(respelled_tree("\xEF\xBB\xBFroot:\r\n- type: dead_end\r\n  reason: caf\xe9 \t\r\n# reason: no\r\n") ==
        "\xEF\xBB\xBFtree:\r\n- type: dead_end\r\n  why_failed: caf\xe9 \t\r\n# reason: no\r\n");
  CHECK(respelled_tree("tree:\n- {title: \"äöü €\", type: dead_end, reason: \"ä\"}\n") ==
        "tree:\n- {title: \"äöü €\", type: dead_end, why_failed: \"ä\"}\n");
  CHECK(respelled_tree("tree:\r- type: decision\r  justification: old Macs\r") ==
        "tree:\r- type: decision\r  rationale: old Macs\r");
}

TEST_CASE("a key is left alone where the canonical one is there, where it stands twice, and on other types") {
  for (const char* text :
       {"tree:\n- {type: dead_end, reason: a, why_failed: b}\n", "tree:\n- {type: dead_end, reason: a, reason: b}\n",
        "tree:\n- {type: pivot, reason: a}\n", "tree:\n- {type: question, from: a, to: b, trigger: c}\n",
        "tree: []\nroot: []\n", "root: []\nroot: []\n", "reason: a\ntype: dead_end\n", "tree: \"root:\"\n", "",
        "tree: [", "tree:\n- type: decision\n  thinking: {justification: x, type: decision}\n"})
    CHECK(respelled_tree(text) == text);
}

TEST_CASE("a node that several aliases name is mended where it stands") {
  CHECK(respelled_tree("shared: &n {type: dead_end, reason: x}\ntree: [*n, {type: question, children: [*n]}]\n") ==
        "shared: &n {type: dead_end, why_failed: x}\ntree: [*n, {type: question, children: [*n]}]\n");
}

TEST_CASE("a place that does not read as its key leaves the file as it was, and says so") {
  const std::string escaped = "tree:\n- {type: dead_end, \"re\\x61son\": x}\n";
  const auto result = artifacts::respell_tree(escaped);
  CHECK(result.bytes == escaped);
  CHECK_FALSE(result.left.empty());
  CHECK(result.fixes.empty());
}

TEST_CASE("a dash after a claim's id becomes a colon, whatever its length and the title") {
  CHECK(respelled_claims("## C01 — The title — with a dash\n\n- **Status**: x — y\n") ==
        "## C01: The title — with a dash\n\n- **Status**: x — y\n");
  CHECK(respelled_claims("### C02 - t\r\n## C03 -- u\r\n## C04 – v ##\r\n") ==
        "### C02: t\r\n## C03: u\r\n## C04: v ##\r\n");
  CHECK(respelled_claims("## [C05] — t\n## **C06** - u\n## C07—v\n") == "## [C05]: t\n## **C06**: u\n## C07: v\n");
  CHECK(respelled_claims("## C08 —\n") == "## C08:\n");
  for (const char* same : {"## C01: t - u\n", "## C01 t — u\n", "```\n## C01 — t\n```\n", "<!--\n## C01 — t\n-->\n",
                           "## E01 — t\n", "C01 — t\n", "- ## C01 — t\n"})
    CHECK(respelled_claims(same) == same);
}

TEST_CASE("after --fix the same content is read under canonical names, and nothing fixable is left") {
  for (const char* name :
       {"minimal", "resnet", "andes", "expbench", "rebench-rust_codecontests", "rebench-restricted_mlm"}) {
    const Scratch scratch(test_files() / "corpus" / name);
    const auto before = scratch.check();
    const auto report = fixed(scratch);
    INFO(artifacts::to_text(report));
    CHECK(report.left.empty());
    CHECK(report.fixed.size() == fixable(before));
    const auto after = scratch.check();
    CHECK(fixable(after) == 0);
    CHECK(own(after) == own(before) - report.fixed.size());
    CHECK_FALSE(find(after, "ARA005"));
    CHECK_FALSE(find(after, "ARA004"));
    CHECK(fixed(scratch).fixed.empty());
  }
}

TEST_CASE("--fix keeps the file's mode and writes through no link") {
  const Scratch scratch, outside{fs::path()};
  scratch.replace("logic/claims.md", "## C01: ", "## C01 — ");
  fs::permissions(scratch / "logic/claims.md", fs::perms(0640));
  CHECK(fixed(scratch).fixed.size() == 1);
  struct stat status {};
  REQUIRE(stat((scratch / "logic/claims.md").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0640);
  CHECK(scratch.check(true).findings.empty());

  SECTION("a link inside in place of the file") {
    scratch.replace("logic/claims.md", "## C01: ", "## C01 — ");
    fs::rename(scratch / "logic/claims.md", scratch / "logic/real.md");
    scratch.link("real.md", "logic/claims.md");
    const std::string before = scratch.text("logic/real.md");
    const auto report = fixed(scratch);
    CHECK(report.fixed.empty());
    CHECK(report.left.size() == 1);
    CHECK(scratch.text("logic/real.md") == before);
    CHECK(fs::is_symlink(scratch / "logic/claims.md"));
  }
  SECTION("a folder that is a link out") {
    outside.write("claims.md", "## C01 — t\n");
    scratch.remove("logic");
    scratch.link(outside.path(), "logic");
    CHECK(fixed(scratch).fixed.empty());
    CHECK(outside.text("claims.md") == "## C01 — t\n");
  }
}

TEST_CASE("whatever a tree or a page of claims holds, a fix says the same as before or does nothing") {
  std::mt19937 random(11);
  const std::string pieces[] = {"root:",    "tree:",    "\n- ",   "\n  ", "type: ", "dead_end",   "pivot",
                                "decision", "reason: ", "from: ", "to: ", "{",      "}",          "[",
                                "]",        ", ",       "\"",     "'",    "&a ",    "*a",         "# c",
                                "|\n   ",   ": ",       "x",      "\r\n", "? ",     "ä",          "## C01",
                                " — ",      " - ",      "title",  "**",   "```\n",  "children: ", "why_failed: "};
  for (int round = 0; round < 4000; ++round) {
    std::string text = random() % 2 == 0 ? "root:\n- type: dead_end\n  reason: x" : "## C01 — t\n";
    for (auto n = random() % 14; n > 0; --n) {
      const std::string& piece = pieces[random() % std::size(pieces)];
      text.insert(random() % 3 == 0 ? random() % (text.size() + 1) : text.size(), piece);
    }
    const auto tree_fixed = artifacts::respell_tree(text);
    const auto claims_fixed = artifacts::respell_claims(text);
    INFO(text);
    CHECK(std::count(tree_fixed.bytes.begin(), tree_fixed.bytes.end(), '\n') ==
          std::count(text.begin(), text.end(), '\n'));
    if (tree_fixed.fixes.empty()) CHECK(tree_fixed.bytes == text);
    if (claims_fixed.fixes.empty()) CHECK(claims_fixed.bytes == text);
    CHECK(artifacts::respell_tree(tree_fixed.bytes).bytes == tree_fixed.bytes);
    CHECK(artifacts::respell_claims(claims_fixed.bytes).bytes == claims_fixed.bytes);
    artifacts::Findings findings;
    const auto before = artifacts::read_tree(artifacts::clean(text).text, "t", findings);
    auto after = artifacts::read_tree(artifacts::clean(tree_fixed.bytes).text, "t", findings);
    REQUIRE(before.nodes.size() == after.nodes.size());
    for (std::size_t i = 0; i < before.nodes.size(); ++i) {
      REQUIRE(before.nodes[i].fields.size() == after.nodes[i].fields.size());
      for (std::size_t f = 0; f < before.nodes[i].fields.size(); ++f) {
        CHECK(before.nodes[i].fields[f].key == after.nodes[i].fields[f].key);
        CHECK(artifacts::flat(before.nodes[i].fields[f].value) == artifacts::flat(after.nodes[i].fields[f].value));
      }
    }
  }
}
