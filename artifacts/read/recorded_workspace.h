#pragma once
// The workspace that an artifact of ours carries, src/workspace/HASH, held against the manifest whose hash names it.
// Then etude.json need not be believed. Reads beneath the root only.

#include <string>
#include <vector>

#include "artifacts/read/safe_root.h"
#include "base/result.h"

namespace artifacts {

/// "src/workspace/HASH"
std::string workspace_path(const std::string& hash);
/// Where an artifact keeps copies of what its evaluator reads, as TIER/PLACE; the manifest lies beside it.
inline constexpr const char* sealed_folder = "src/evaluator";

/// Every way in which the files differ from the manifest, and the manifest from its hash: file and why.
std::vector<kernel::Problem> workspace_problems(const SafeRoot&, const Listing&, const std::string& hash);

}  // namespace artifacts
