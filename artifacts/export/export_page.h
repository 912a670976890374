#pragma once
// An artifact as one page that needs nothing beside it: the report where there is one, else what the paper says;
// claims, experiments, the exploration graph and the figures. Text of others never becomes markup. Reads beneath the
// root alone.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "artifacts/read/model.h"
#include "artifacts/read/safe_root.h"

namespace artifacts {

/// The contract's graph: {"nodes": [{"id", "type", "title", "parents"}]}.
nlohmann::json graph_of(const Tree&);

/// `graph_svg`: a drawing of the exploration graph; empty: it is only listed.
std::string export_page(const SafeRoot&, const Artifact&, const std::string& graph_svg);

}  // namespace artifacts
