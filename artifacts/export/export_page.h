#pragma once
// An artifact as one self-contained page: the report, or the paper if there is none; claims, experiments, exploration
// graph and figures. Text of others never becomes markup. Reads only below the root.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "artifacts/read/model.h"
#include "artifacts/read/safe_root.h"

namespace artifacts {

/// The graph in the form of the API: {"nodes": [{"id", "type", "title", "parents"}]}.
nlohmann::json graph_of(const Tree&);

/// `graph_svg`: a drawing of the exploration graph; if empty, the graph is listed.
std::string export_page(const SafeRoot&, const Artifact&, const std::string& graph_svg);

}  // namespace artifacts
