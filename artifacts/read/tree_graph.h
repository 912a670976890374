#pragma once
// The edges of an exploration tree: nesting, `parent`, children by id and `also_depends_on`. Finds ancestors and loops
// without recursion, in time linear in nodes and edges. Knows nothing of findings.

#include <string>
#include <unordered_map>
#include <vector>

#include "artifacts/read/model.h"

namespace artifacts {

struct Edge {
  int from = 0;  ///< The node that `to` builds on.
  int to = 0;
  int line = 0;           ///< The line of the edge in the file.
  bool structure = true;  ///< Nesting, parent or child; false: also_depends_on.
};

class TreeGraph {
 public:
  TreeGraph(const Tree& tree, const std::unordered_map<std::string, int>& nodes);

  const std::vector<Edge>& edges() const { return edges_; }
  /// Only by structure. False for every pair on a loop of the structure.
  bool is_ancestor(int ancestor, int node) const;
  /// Loops without common nodes, each as its edges in order; ignores the edges in `left_out`.
  std::vector<std::vector<Edge>> cycles(const std::vector<bool>& left_out) const;

 private:
  void number_nodes();

  int size_;
  std::vector<Edge> edges_;
  std::vector<int> structural_parent_;
  std::vector<int> enter_, leave_;  ///< Positions in a walk over the structure; 0 if no root leads to the node.
};

}  // namespace artifacts
