#pragma once
// Reads trace/exploration_tree.yaml into nodes, in every dialect, and reports what it tolerated. Never fails: what
// cannot be read is a finding. Resolves no reference and judges no graph.

#include <string>
#include <string_view>

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"

namespace artifacts {

/// The canonical key for an older dialect's key on a node of this type; the key itself if it is no alias.
std::string_view canonical_key(NodeType type, std::string_view key);

Tree read_tree(std::string_view text, const std::string& file, Findings& findings);

}  // namespace artifacts
