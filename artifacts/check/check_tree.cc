#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "artifacts/check/rule_groups.h"
#include "artifacts/read/references.h"
#include "artifacts/read/tree_graph.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::array<std::string_view, 4> provenances{"user", "ai-suggested", "ai-executed", "user-revised"};

class TreeCheck {
 public:
  TreeCheck(const Artifact& artifact, const KnownIds& known, Findings& findings)
      : tree_(artifact.tree), known_(known), findings_(findings), references_(artifact, known, findings) {}

  void all() {
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      unique(i);
      support(tree_.nodes[i]);
      content(tree_.nodes[i]);
      evidence(tree_.nodes[i]);
      edges_to_nothing(tree_.nodes[i]);
    }
    provenance();
    graph();
  }

 private:
  void unique(std::size_t index) {
    const TreeNode& node = tree_.nodes[index];
    if (node.id.empty()) return;
    const int first = known_.nodes.at(node.id);
    if (first != static_cast<int>(index))
      findings_.add(RuleId::duplicate_id, tree_.file, node.line,
                    fmt::format("the id {} is already used in line {}", quote(node.id), at(first).line));
  }

  void support(const TreeNode& node) {
    if (!node.support_level.empty() && node.support_level != "explicit" && node.support_level != "inferred")
      findings_.add(RuleId::support_level, tree_.file, node.line,
                    fmt::format("{} has support_level {}", quote(node.id), quote(node.support_level)));
    if (node.support_level == "explicit" && node.source_refs.empty())
      findings_.add(RuleId::source_refs, tree_.file, node.line,
                    fmt::format("{} is explicit but names no source", quote(node.id)));
  }

  /// Checks that a node has the content that its type requires, under any key.
  void content(const TreeNode& node) {
    const auto any = [&](std::initializer_list<std::string_view> keys) {
      return std::ranges::any_of(keys, [&](std::string_view key) { return node.field(key); });
    };
    std::string_view missing;
    switch (node.type) {
      case TreeNodeType::question:
        missing = node.title.empty() && !any({"description"}) ? "description" : "";
        break;
      case TreeNodeType::experiment:
        missing = any({"result", "outcome", "status", "description"}) ? "" : "result";
        break;
      case TreeNodeType::decision:
        missing = any({"choice", "rationale", "description"}) ? "" : "choice";
        break;
      case TreeNodeType::dead_end:
        missing = any({"why_failed", "failure_mode", "lesson", "description"}) ? "" : "why_failed";
        break;
      case TreeNodeType::pivot:
        missing = any({"new_direction", "reason", "description"}) ? "" : "new_direction";
        break;
      case TreeNodeType::insight:
      case TreeNodeType::unknown:
        break;
    }
    if (!missing.empty())
      findings_.add(RuleId::missing_field, tree_.file, node.line,
                    fmt::format("{} {} lacks `{}`", name_of(node.type), quote(node.id), missing));
  }

  void evidence(const TreeNode& node) {
    for (const Text& text : node.evidence) {
      const std::string_view whole = trimmed(text.text);
      if (is_id(whole, "O"))
        findings_.add(RuleId::not_a_claim, tree_.file, text.line,
                      fmt::format("evidence of {} is {}, which is no claim", quote(node.id), quote(whole)));
      for (const Reference& id : ids_in_prose(text.text, "C", text.line))
        references_.claim(id.text, tree_.file, text.line, fmt::format("evidence of {}", quote(node.id)));
    }
  }

  void edges_to_nothing(const TreeNode& node) {
    const auto look_up = [&](const std::vector<Text>& ids, std::string_view key) {
      for (const Text& id : ids)
        if (!known_.nodes.contains(id.text))
          findings_.add(
              RuleId::unknown_node, tree_.file, id.line,
              fmt::format("{} of {} refers to {}, which is no node of the tree", key, quote(node.id), quote(id.text)));
    };
    look_up(node.also_depends_on, "also_depends_on");
    look_up(node.parent_ids, "parent");
    look_up(node.children_ids, "children");
  }

  void provenance() {
    struct Use {
      int line = 0;
      std::size_t nodes = 0;
    };
    std::unordered_map<std::string_view, Use> unknown;
    for (const TreeNode& node : tree_.nodes) {
      if (node.provenance.empty() || is_one_of(provenances, node.provenance)) continue;
      Use& use = unknown[node.provenance];
      if (use.nodes++ == 0) use.line = node.line;
    }
    for (const auto& [value, use] : unknown)
      findings_.add(RuleId::unknown_value, tree_.file, use.line,
                    fmt::format("provenance {} ({} node{}) is none of user, ai-suggested, ai-executed, user-revised",
                                quote(value), use.nodes, use.nodes == 1 ? "" : "s"));
  }

  void graph() {
    const TreeGraph graph(tree_, known_.nodes);
    std::vector<bool> left_out(graph.edges().size(), false);
    std::set<std::pair<int, int>> seen;
    for (std::size_t e = 0; e < graph.edges().size(); ++e) {
      const Edge& edge = graph.edges()[e];
      const bool repeated = !seen.emplace(edge.from, edge.to).second;
      if (edge.structure || edge.from == edge.to) continue;
      const bool ancestor = graph.is_ancestor(edge.from, edge.to);
      left_out[e] = repeated || ancestor;
      if (!left_out[e]) continue;
      findings_.add(RuleId::redundant_edge, tree_.file, edge.line,
                    fmt::format("also_depends_on of {} names {}{}", quote(at(edge.to).id), quote(at(edge.from).id),
                                ancestor ? ", one of its ancestors" : " a second time"));
    }
    for (const std::vector<Edge>& loop : graph.cycles(left_out)) report(loop);
  }

  void report(const std::vector<Edge>& loop) {
    // Report an edge that a person added; the nesting is rarely wrong.
    const auto extra = std::ranges::find_if(loop, [](const Edge& edge) { return !edge.structure; });
    std::string path = at(loop.front().from).id;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      if (i == 8 && loop.size() > 10) path += " → …";
      if (i < 8 || loop.size() <= 10 || i + 1 == loop.size()) path += " → " + at(loop[i].to).id;
    }
    findings_.add(RuleId::cycle, tree_.file, extra == loop.end() ? loop.back().line : extra->line,
                  "these nodes build on each other: " + path);
  }

  const TreeNode& at(int index) const { return tree_.nodes[static_cast<std::size_t>(index)]; }

  const Tree& tree_;
  const KnownIds& known_;
  Findings& findings_;
  ReferenceCheck references_;
};

}  // namespace

void check_tree(const Artifact& artifact, const KnownIds& known, Findings& findings) {
  TreeCheck(artifact, known, findings).all();
}

}  // namespace artifacts
