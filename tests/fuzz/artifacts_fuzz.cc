// Feeds bytes to the artifact's readers: no crash, and every finding is one printable, bounded line with a rule of the
// table. The first byte chooses the reader. Seeds: the files of tests/artifacts/corpus and clean.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "artifacts/check/fix.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/read/references.h"
#include "artifacts/read/tree_graph.h"
#include "artifacts/text/english.h"
#include "artifacts/text/json_text.h"
#include "artifacts/text/untrusted_text.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void look_at(const artifacts::Layer& layer, int last_line) {
  for (const artifacts::Block& block : layer.blocks)
    for (const artifacts::Field& field : block.fields)
      for (const artifacts::Reference& r : artifacts::references_in(field.text, field.text_line))
        require(r.line >= field.line && r.line <= last_line);
}

/// Whatever is said of JSON stands in it.
void lines_in(std::string_view bytes) {
  const int last = 1 + static_cast<int>(std::count(bytes.begin(), bytes.end(), '\n'));
  require(artifacts::line_of_json_trouble(bytes).value_or(1) <= last);
  for (const auto& [key, member] : artifacts::lines_of_members(bytes)) {
    require(member.line >= 1 && member.line <= last);
    for (const int line : member.elements) require(line >= member.line && line <= last);
  }
}

/// A fix moves no line, and there is nothing to fix when it is run again.
void unmoved(artifacts::Respelled (*respell)(std::string_view), std::string_view bytes) {
  const artifacts::Respelled fixed = respell(bytes);
  if (fixed.fixes.empty()) require(fixed.bytes == bytes);
  require(std::count(fixed.bytes.begin(), fixed.bytes.end(), '\n') == std::count(bytes.begin(), bytes.end(), '\n'));
  require(respell(fixed.bytes).fixes.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const artifacts::CleanText clean = artifacts::clean(bytes);
  const int last_line = static_cast<int>(artifacts::lines_of(clean.text).size());
  artifacts::Findings findings;
  lines_in(bytes);
  artifacts::predicted_number(clean.text);
  constexpr std::string_view prefixes[] = {"C", "E", "O", "G", "H", "RW"};
  switch (data[0] % 5) {
    case 0: {
      const artifacts::Tree tree = artifacts::read_tree(clean.text, "tree.yaml", findings);
      std::unordered_map<std::string, int> nodes;
      for (std::size_t i = 0; i < tree.nodes.size(); ++i) nodes.emplace(tree.nodes[i].id, static_cast<int>(i));
      const artifacts::TreeGraph graph(tree, nodes);
      for (const auto& loop : graph.cycles(std::vector<bool>(graph.edges().size(), false)))
        for (std::size_t i = 0; i < loop.size(); ++i) require(loop[i].to == loop[(i + 1) % loop.size()].from);
      break;
    }
    case 3:
      unmoved(artifacts::respell_tree, bytes);
      break;
    case 4:
      unmoved(artifacts::respell_claims, bytes);
      break;
    case 1:
      look_at(artifacts::read_layer(clean.text, "claims.md", prefixes, true, findings), last_line);
      break;
    default: {
      const artifacts::PaperPage paper = artifacts::read_paper_page(clean.text, "PAPER.md", findings);
      look_at(paper.body, last_line);
      bool has_index = false;
      artifacts::layer_index_of(paper.body, has_index);
      artifacts::evidence_index_of(paper.body);
    }
  }
  for (const artifacts::Finding& f : findings.sorted()) {
    require(!f.message.empty() && f.message.size() < 4000);
    require(artifacts::printable(f.message) == f.message);
  }
  return 0;
}
