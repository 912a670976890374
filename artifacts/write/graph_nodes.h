#pragma once
// The nodes of the artifact's graph: those of the log, and those that follow from other events, so that the graph shows
// the whole way: each hypothesis's result with its size, rungs of a search, decided gates, messages of people, agents'
// changes of the code, a fork. Pure.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace artifacts {

struct GraphNodes {
  std::vector<kernel::Node> nodes;                           ///< In the order of the graph.
  std::map<std::string, std::vector<std::int64_t>> told_by;  ///< Node → lines of trace/events.jsonl.
};

/// Pages of wordings before 5 have only the nodes of the log, without lines.
GraphNodes graph_nodes(const kernel::Study&);

/// The node of a hypothesis's result: "N05-H1".
std::string result_node_id(const kernel::Exploration&, const kernel::HypothesisRecord&);

}  // namespace artifacts
