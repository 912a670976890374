#pragma once
// The exploration graph, from the contract's {"nodes":[…]} to what people and tools read. Pure; titles are data, and
// are escaped for each format. Layout is Graphviz's work, not ours. Copes with missing parents and with loops.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace cli {

/// A tree below each node without parents; a node stands below its first parent and names the others. Dead ends are
/// marked in words, and with ink where there is colour.
std::string graph_text(const nlohmann::json& graph, bool colour);
/// Graphviz's language.
std::string graph_dot(const nlohmann::json& graph);
std::string graph_mermaid(const nlohmann::json& graph);

}  // namespace cli
