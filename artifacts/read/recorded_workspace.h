#pragma once
// Compares the workspace in an artifact of etude, src/workspace/HASH, with the manifest that has this hash. etude.json
// need not be trusted then. Reads only below the root.

#include <string>
#include <vector>

#include "artifacts/read/safe_root.h"
#include "base/result.h"

namespace artifacts {

/// Such as "src/workspace/HASH".
std::string workspace_path(const std::string& hash);
/// The folder with copies of the evaluator's data, as TIER/PLACE; the manifest is next to it.
inline constexpr const char* sealed_folder = "src/evaluator";

/// Every difference of the files from the manifest, and of the manifest from its hash: file and reason.
std::vector<kernel::Problem> workspace_problems(const SafeRoot&, const Listing&, const std::string& hash);

}  // namespace artifacts
