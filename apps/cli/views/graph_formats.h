#pragma once
// Formats of the exploration graph, from {"nodes":[…]}. Titles are untrusted and escaped for each format. Accepts
// missing parents and loops. For a picture it runs Graphviz and waits, with a temporary folder; the rest is pure.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace cli {

/// A tree below each node without parents; a node is below its first parent and names the others. Dead ends are marked
/// in words, and in colour if `colour`.
std::string graph_text(const nlohmann::json& graph, bool colour);
/// Graphviz's language.
std::string graph_dot(const nlohmann::json& graph);
std::string graph_mermaid(const nlohmann::json& graph);

/// `dot_text` as SVG. A problem, with the package to install, if there is no `dot` on `search_path` or it fails.
kernel::Result<std::string> svg_by_graphviz(const std::string& dot_text, const std::string& search_path);
/// The graph as SVG, by the first `dot` in $PATH.
kernel::Result<std::string> graph_svg(const nlohmann::json& graph);

}  // namespace cli
