// Artifacts that others wrote: what check says of them is compared byte for byte with golden files. ETUDE_GOLDEN=write
// rewrites these; read the difference before committing it.

#include <cstdlib>
#include <fstream>

#include "artifacts/read/artifact_reader.h"
#include "tests/artifacts/samples/scratch.h"

namespace fs = std::filesystem;
using artifacts::Severity;

namespace {

artifacts::CheckReport check_corpus(const std::string& name, bool strict = true) {
  auto report = artifacts::check((test_files() / "corpus" / name).string(),
                                 {.strict = strict, .configuration = {.path = {}, .ignored = true}});
  REQUIRE(report);
  report->artifact = name;
  return *report;
}

artifacts::Artifact read_corpus(const std::string& name) {
  const auto root = artifacts::SafeRoot::open((test_files() / "corpus" / name).string());
  REQUIRE(root);
  artifacts::Findings findings;
  return artifacts::read_artifact(*root, findings);
}

const artifacts::TreeNode& node(const artifacts::Tree& tree, std::string_view id) {
  for (const auto& n : tree.nodes)
    if (n.id == id) return n;
  FAIL("no node " << id);
  return tree.nodes.front();
}

}  // namespace

TEST_CASE("what check says of the corpus is what it said before") {
  for (const char* name :
       {"minimal", "resnet", "andes", "expbench", "rebench-rust_codecontests", "rebench-restricted_mlm"}) {
    DYNAMIC_SECTION(name) {
      const std::string text = artifacts::to_text(check_corpus(name, false));
      const fs::path golden = test_files() / "golden" / (std::string(name) + ".txt");
      if (const char* mode = std::getenv("ETUDE_GOLDEN"); mode && std::string(mode) == "write")
        std::ofstream(golden) << text;
      CHECK(text == read_all(golden));
    }
  }
}

TEST_CASE("the smallest published example parses, and misses six mandatory files") {
  const auto report = check_corpus("minimal");
  CHECK(count(report, "missing-file") == 6);
  CHECK(report.errors == 6);
  CHECK(report.warnings == 0);
  CHECK(count(report, "missing-field") == 2);  // neither claim states its conditions
  const auto minimal = read_corpus("minimal");
  CHECK(minimal.tree.nodes.size() == 3);
  CHECK(minimal.paper.title == "Example Paper: Attention Is All You Need");
  CHECK(minimal.paper.authors.size() == 8);
  CHECK(minimal.layer_index.size() == 3);
  const artifacts::Block* c02 = minimal.claims.find("C02");
  REQUIRE(c02);
  CHECK(c02->title == "Transformers train faster");
  CHECK(c02->line == 11);
  CHECK(c02->field("dependencies")->text == "[C01]");
  CHECK(c02->field("Dependencies")->line == 16);
  CHECK(node(minimal.tree, "N03").field("alternatives")->items.size() == 2);
  CHECK(node(minimal.tree, "N02").line == 13);
}

TEST_CASE("the published full example parses; left-out code is its errors, and one wrong count a warning") {
  const auto report = check_corpus("resnet");
  CHECK(count(report, "missing-file") == 8);
  CHECK(count(report, "count-mismatch") == 1);  // it declares 14 nodes and has 15
  CHECK(report.errors == 6);
  CHECK(count(report, "expected-numbers") == 2);
  CHECK(report.warnings ==
        2 + 1 + 2 + 12);  // its pages of evidence, but for one derived from another, have no pictures
  const auto resnet = read_corpus("resnet");
  CHECK(resnet.tree.nodes.size() == 15);
  CHECK(resnet.experiments.find("E05")->field("Setup")->text.starts_with("- Model: CIFAR ResNet family"));
  CHECK(resnet.experiments.find("E05")->field("Setup")->text_line == 84);
  CHECK(resnet.related_work.find("RW01")->field("Delta")->text.find("\n- Why: ") != std::string::npos);
  CHECK(resnet.evidence.size() == 13);
  CHECK(resnet.evidence_index.size() == 13);
}

TEST_CASE("andes is clean besides the mandatory files that it misses") {
  const auto report = check_corpus("andes");
  CHECK(count(report, "missing-file") == 8);
  CHECK(report.errors == 8);
  CHECK(report.warnings == 0);
}

TEST_CASE("expbench has one edge to an ancestor, which is redundant and no cycle, and pivots of an older dialect") {
  const auto report = check_corpus("expbench");
  CHECK(count(report, "redundant-edge") == 1);
  CHECK(count(report, "cycle") == 0);
  CHECK(count(report, "dialect-key") == 3);
  CHECK(report.errors == count(report, "missing-file") + 3);  // the published rules refuse the three keys
  const auto expbench = read_corpus("expbench");
  const auto& pivot = node(expbench.tree, "N05");
  REQUIRE(pivot.field("prior_direction"));
  CHECK(pivot.field("prior_direction")->text == "Full manual curation");
  CHECK(pivot.field("new_direction")->text.starts_with("Semi-automated pipeline"));
  CHECK(pivot.field("reason")->text.starts_with("Manual curation infeasible at scale;"));
}

TEST_CASE("a large real tree with keys of its own is read, and each unknown key is a warning") {
  const auto report = check_corpus("rebench-rust_codecontests");
  CHECK(count(report, "unknown-node-key") == 17);
  CHECK(report.errors == count(report, "missing-file"));
  CHECK(read_corpus("rebench-rust_codecontests").tree.nodes.size() == 12);
}

TEST_CASE("a tree of another shape is one clear error") {
  const auto report = check_corpus("rebench-restricted_mlm");
  CHECK(count(report, "ambiguous-root") == 1);
  std::size_t in_tree = 0;
  for (const auto& f : report.findings) in_tree += f.file == "trace/exploration_tree.yaml" && !f.published ? 1 : 0;
  CHECK(in_tree == 1);
  const auto found = find(report, "ambiguous-root");
  REQUIRE(found);
  CHECK(found->message.find("schema_version") != std::string::npos);
  CHECK(count(report, "dialect-header") == 14);
}
