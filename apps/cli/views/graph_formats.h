#pragma once
// Formats of the exploration graph, from {"nodes":[…]}. Pure; titles are untrusted and escaped for each format.
// Graphviz does the layout. Accepts missing parents and loops.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace cli {

/// A tree below each node without parents; a node is below its first parent and names the others. Dead ends are marked
/// in words, and in colour if `colour`.
std::string graph_text(const nlohmann::json& graph, bool colour);
/// Graphviz's language.
std::string graph_dot(const nlohmann::json& graph);
std::string graph_mermaid(const nlohmann::json& graph);

}  // namespace cli
