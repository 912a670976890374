// What is read, written under canonical names and read again is the same.
#include "artifacts/read/artifact_reader.h"
#include "tests/artifacts/samples/artifact_writer.h"
#include "tests/artifacts/samples/sample_study.h"
#include "tests/artifacts/samples/scratch.h"

namespace {

using artifacts::Block;
using artifacts::Layer;
using artifacts::PaperPage;
using artifacts::Tree;
using artifacts::TreeNode;
using artifacts::YamlValue;

constexpr std::string_view all_prefixes[] = {"C", "E", "O", "G", "H", "RW"};

void forget_places(YamlValue& value) {
  value.line = value.column = 0;
  value.was_quoted = false;
  for (auto& key : value.keys) key.line = key.column = 0;
  for (YamlValue& item : value.items) forget_places(item);
}

void forget_places(std::vector<artifacts::Text>& texts) {
  for (auto& text : texts) text.line = 0;
}

/// The content alone: no lines, and names as the format has them.
Layer content(Layer layer) {
  for (Block& block : layer.blocks) {
    block.line = 0;
    if (!block.id.empty()) block.heading.clear();
    block.style = artifacts::HeaderStyle::none;
    for (auto& field : block.fields) {
      field.name = artifacts::canonical_field(field.name);
      field.line = field.text_line = 0;
    }
    for (auto& table : block.tables) {
      table.line = 0;
      for (auto& row : table.rows) row.line = 0;
    }
    forget_places(block.prose);
  }
  return layer;
}

Tree content(Tree whole) {
  whole.legacy_root = false;
  for (TreeNode& node : whole.nodes) {
    node.line = 0;
    for (auto* texts : {&node.source_refs, &node.also_depends_on, &node.evidence, &node.parent_ids, &node.children_ids})
      forget_places(*texts);
    for (auto& field : node.fields) {
      field.line = 0;
      field.written = field.key;
      forget_places(field.value);
    }
  }
  return whole;
}

Layer reread(const Layer& layer) {
  artifacts::Findings findings;
  return artifacts::read_layer(artifacts::write_layer(layer), layer.file, all_prefixes, true, findings);
}

Tree reread(const Tree& whole) {
  artifacts::Findings findings;
  return artifacts::read_tree(artifacts::write_tree(whole), whole.file, findings);
}

std::vector<std::filesystem::path> grounds() {
  std::vector<std::filesystem::path> folders{test_files() / "clean"};
  for (const char* name :
       {"minimal", "resnet", "andes", "expbench", "rebench-rust_codecontests", "rebench-restricted_mlm"})
    folders.push_back(test_files() / "corpus" / name);
  return folders;
}

artifacts::Artifact read_folder(const std::filesystem::path& folder) {
  const auto root = artifacts::SafeRoot::open(folder.string());
  REQUIRE(root);
  artifacts::Findings findings;
  return artifacts::read_artifact(*root, findings);
}

std::vector<Layer> layers_of(const artifacts::Artifact& read) {
  std::vector<Layer> layers;
  for (const Layer* layer : {&read.paper.body, &read.problem, &read.claims, &read.concepts, &read.experiments,
                             &read.heuristics, &read.related_work, &read.evidence_readme})
    layers.push_back(content(*layer));
  for (const Layer& page : read.evidence) layers.push_back(content(page));
  return layers;
}

void check_round_trip(const std::filesystem::path& folder) {
  const artifacts::Artifact read = read_folder(folder);
  INFO(folder.string());
  const auto pages = artifacts::write_artifact(read);
  const Scratch scratch;
  for (const auto& old : std::filesystem::directory_iterator(scratch.path())) std::filesystem::remove_all(old);
  for (const auto& [path, text] : pages) {
    std::filesystem::create_directories((scratch / path).parent_path());
    scratch.write(path, text);
  }
  artifacts::Artifact again = read_folder(scratch.path());
  if (read.tree.readable) CHECK(content(again.tree) == content(read.tree));
  const std::vector<Layer> before = layers_of(read), after = layers_of(again);
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    INFO(before[i].file);
    CHECK(after[i] == before[i]);
  }
  YamlValue front = read.paper.front;
  forget_places(front);
  forget_places(again.paper.front);
  CHECK(again.paper.front == front);
  CHECK(again.paper.authors == read.paper.authors);
  CHECK(again.paper.claims_summary == read.paper.claims_summary);
  // What is canonical already is written as it is, but for the quoting of YAML.
  for (const auto& [path, text] : artifacts::write_artifact(again)) {
    INFO(path);
    if (path.ends_with(".md") && path != "PAPER.md") CHECK(pages.at(path) == text);
  }
}

}  // namespace

TEST_CASE("what others wrote says the same after it was read and written") {
  for (const auto& folder : grounds()) check_round_trip(folder);
}

TEST_CASE("what we wrote says the same after it was read and written, hostile names included") {
  for (const bool hostile : {false, true}) {
    const SampleStudy sample(SampleOptions{.hostile = hostile});
    check_round_trip(sample_artifact(sample));
  }
}

TEST_CASE("every dialect is written under its canonical name") {
  artifacts::Findings findings;
  const Tree nodes = artifacts::read_tree(
      "root:\n- {id: N1, type: pivot, from: a, to: \"b: c\", trigger: [x, {y: ~}], children: [N7, {id: N2, type: "
      "dead_end, reason: 'it''s', evidence: C01}]}\n",
      "t.yaml", findings);
  const std::string text = artifacts::write_tree(nodes);
  INFO(text);
  CHECK(text.starts_with("tree:\n"));
  for (const char* key : {"prior_direction: a", "new_direction: \"b: c\"", "reason:", "why_failed: \"it's\""})
    CHECK(text.find(key) != std::string::npos);
  CHECK(content(reread(nodes)) == content(nodes));
  constexpr std::string_view claims[] = {"C"};
  const Layer layer = artifacts::read_layer(
      "### C01 — t\n**Falsification**: f\n\n```\nlost\n```\nprose | a\n\n- **Setup**:\n  - a\n\n    b\n  ```\n  # "
      "code\n"
      "  ```\n\n| x |\n|---|\n| a \\| b |\n",
      "c.md", claims, true, findings);
  const std::string markdown = artifacts::write_layer(layer);
  INFO(markdown);
  CHECK(markdown.starts_with("### C01: t\n- **Falsification criteria**: f\n"));
  CHECK(content(reread(layer)) == content(layer));
}
