#pragma once
// The place of an artifact: what may be replaced, and how a finished folder replaces it in one step. Knows only
// etude.json and the names of files.

#include <filesystem>
#include <string>

#include "base/result.h"

namespace artifacts {

/// True if `folder` does not exist, is empty, or is an artifact of etude with only generated files. A problem names an
/// additional file or an annotated page, or says that no folder can be made there, which it tries.
kernel::Result<bool> may_replace(const std::string& folder);

/// The absolute path, without a final slash, with links resolved as far as it exists.
std::filesystem::path placed(const std::string& folder);
/// Moves `made` to `target`, which does not exist, is empty or is an artifact. Both are in the same folder. Faults
/// throw.
void swap_in(const std::filesystem::path& made, const std::filesystem::path& target);

}  // namespace artifacts
