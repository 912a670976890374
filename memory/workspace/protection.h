#pragma once
// The files of a workspace that `evaluator.protect` names: patterns as in a .gitignore, each of which must match a
// file. Pure, except that `check_protection` reads the names in a folder.

#include <optional>
#include <string>
#include <vector>

#include "base/manifest.h"
#include "base/result.h"
#include "kernel/domain/records.h"

namespace memory {

/// Sorted by path. A problem, with the pattern's line, if it matches no file, or a link, whose target could change.
kernel::Result<std::vector<kernel::ProtectedFile>> protected_files(const kernel::StudySpec&,
                                                                   const std::vector<kernel::ManifestEntry>&);

/// Checks the folder in its present state. `home`: the store's folder.
std::optional<kernel::Problem> check_protection(const kernel::StudySpec&, const std::string& home);

}  // namespace memory
