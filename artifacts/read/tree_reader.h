#pragma once
// Reads trace/exploration_tree.yaml into nodes, in every dialect, and reports what it had to
// tolerate. Never fails: what cannot be read is a finding. Resolves no reference and judges no graph.

#include <string>
#include <string_view>

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"

namespace artifacts {

/// What the format calls the key that an older dialect wrote on a node of this type; the key itself where it is no
/// alias.
std::string_view canonical_key(NodeType type, std::string_view key);

Tree read_tree(std::string_view text, const std::string& file, Findings& findings);

}  // namespace artifacts
