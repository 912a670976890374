#pragma once
// Which files of a workspace `evaluator.protect` means: patterns as in a .gitignore, each of which must match a file.
// Pure but for the look at a folder beforehand, which reads names only.

#include <optional>
#include <string>
#include <vector>

#include "base/manifest.h"
#include "base/result.h"
#include "kernel/domain/records.h"

namespace memory {

/// By path. A problem, with the pattern's line: it matches no file, or a link, which could be turned elsewhere.
kernel::Result<std::vector<kernel::ProtectedFile>> protected_files(const kernel::StudySpec&,
                                                                   const std::vector<kernel::ManifestEntry>&);

/// The same of the folder as it is now. `home`: the store's folder.
std::optional<kernel::Problem> check_protection(const kernel::StudySpec&, const std::string& home);

}  // namespace memory
