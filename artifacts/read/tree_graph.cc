#include "artifacts/read/tree_graph.h"

#include <algorithm>
#include <optional>

namespace artifacts {

TreeGraph::TreeGraph(const Tree& tree, const std::unordered_map<std::string, int>& nodes)
    : size_(static_cast<int>(tree.nodes.size())), structural_parent_(tree.nodes.size(), -1) {
  const auto find = [&](const std::string& id) -> std::optional<int> {
    const auto found = nodes.find(id);
    return found == nodes.end() ? std::nullopt : std::optional(found->second);
  };
  const auto add_structure = [&](int from, int to, int line) {
    int& parent = structural_parent_[static_cast<std::size_t>(to)];
    if (parent == from) return;
    if (parent < 0) parent = from;
    edges_.push_back({from, to, line, true});
  };
  for (int i = 0; i < size_; ++i) {
    const TreeNode& node = tree.nodes[static_cast<std::size_t>(i)];
    if (node.parent >= 0) add_structure(node.parent, i, node.line);
    for (const Text& id : node.parent_ids)
      if (const auto parent = find(id.text)) add_structure(*parent, i, id.line);
    for (const Text& id : node.children_ids)
      if (const auto child = find(id.text)) add_structure(i, *child, id.line);
    for (const Text& id : node.also_depends_on)
      if (const auto from = find(id.text)) edges_.push_back({*from, i, id.line, false});
  }
  number_nodes();
}

void TreeGraph::number_nodes() {
  const auto n = static_cast<std::size_t>(size_);
  std::vector<std::vector<int>> children(n);
  enter_.assign(n, 0);
  leave_.assign(n, 0);
  std::vector<std::pair<int, std::size_t>> walk;
  int clock = 0;
  for (int i = 0; i < size_; ++i)
    if (const int parent = structural_parent_[static_cast<std::size_t>(i)]; parent >= 0)
      children[static_cast<std::size_t>(parent)].push_back(i);
  for (int root = 0; root < size_; ++root) {
    if (structural_parent_[static_cast<std::size_t>(root)] >= 0) continue;
    enter_[static_cast<std::size_t>(root)] = ++clock;
    walk.emplace_back(root, 0);
    while (!walk.empty()) {
      auto& [node, next] = walk.back();
      const auto& below = children[static_cast<std::size_t>(node)];
      if (next == below.size()) {
        leave_[static_cast<std::size_t>(node)] = ++clock;
        walk.pop_back();
      } else {
        const int child = below[next++];
        enter_[static_cast<std::size_t>(child)] = ++clock;
        walk.emplace_back(child, 0);
      }
    }
  }
}

bool TreeGraph::is_ancestor(int ancestor, int node) const {
  const auto a = static_cast<std::size_t>(ancestor), b = static_cast<std::size_t>(node);
  return a != b && enter_[a] > 0 && enter_[b] > 0 && enter_[a] < enter_[b] && leave_[b] < leave_[a];
}

std::vector<std::vector<Edge>> TreeGraph::cycles(const std::vector<bool>& left_out) const {
  const auto n = static_cast<std::size_t>(size_);
  std::vector<std::vector<std::size_t>> into(n), out_of(n);
  std::vector<std::size_t> waiting(n, 0);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    if (left_out[e]) continue;
    into[static_cast<std::size_t>(edges_[e].to)].push_back(e);
    out_of[static_cast<std::size_t>(edges_[e].from)].push_back(e);
    ++waiting[static_cast<std::size_t>(edges_[e].to)];
  }
  // Nodes without predecessors are removed, repeatedly. What remains lies on or below a loop, and walking backwards
  // from any remaining node ends in one. Then that loop's nodes are removed.
  std::vector<bool> removed(n, false);
  std::vector<int> ready;
  for (int i = 0; i < size_; ++i)
    if (waiting[static_cast<std::size_t>(i)] == 0) ready.push_back(i);
  const auto remove = [&](int node) {
    removed[static_cast<std::size_t>(node)] = true;
    for (const std::size_t e : out_of[static_cast<std::size_t>(node)])
      if (--waiting[static_cast<std::size_t>(edges_[e].to)] == 0 && !removed[static_cast<std::size_t>(edges_[e].to)])
        ready.push_back(edges_[e].to);
  };
  const auto drain = [&] {
    while (!ready.empty()) {
      const int node = ready.back();
      ready.pop_back();
      if (!removed[static_cast<std::size_t>(node)]) remove(node);
    }
  };
  std::vector<std::vector<Edge>> found;
  std::vector<std::size_t> seen_at(n, 0);
  drain();
  for (int start = 0; start < size_; ++start) {
    while (!removed[static_cast<std::size_t>(start)]) {
      std::vector<std::size_t> path;
      std::vector<int> visited;
      int node = start;
      while (seen_at[static_cast<std::size_t>(node)] == 0) {
        visited.push_back(node);
        seen_at[static_cast<std::size_t>(node)] = visited.size();
        const auto& edges = into[static_cast<std::size_t>(node)];
        const auto back = std::ranges::find_if(
            edges, [&](std::size_t e) { return !removed[static_cast<std::size_t>(edges_[e].from)]; });
        path.push_back(*back);
        node = edges_[*back].from;
      }
      std::vector<Edge> loop;
      for (std::size_t i = path.size(); i-- > seen_at[static_cast<std::size_t>(node)] - 1;)
        loop.push_back(edges_[path[i]]);
      for (const int v : visited) seen_at[static_cast<std::size_t>(v)] = 0;
      for (const Edge& edge : loop)
        if (!removed[static_cast<std::size_t>(edge.to)]) remove(edge.to);
      found.push_back(std::move(loop));
      drain();
    }
  }
  return found;
}

}  // namespace artifacts
