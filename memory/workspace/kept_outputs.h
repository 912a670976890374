#pragma once
// Outputs that are too large to copy, or that other runs use: HOME/kept/SHA256/NAME, hard links to the run's files, so
// that an interrupted collection can be repeated. Knows nothing of runs.

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/domain/records.h"

namespace memory {

/// Patterns as in .gitignore, below the output folder. A pattern without a slash matches names at any depth; a pattern
/// that matches a folder covers everything below it.
std::function<bool(const std::string& path)> matching(const std::vector<std::string>& patterns);

/// The first rule that matches the path; null if none does.
const kernel::LargeOutput* large_output(const std::vector<kernel::LargeOutput>&, const std::string& path);

/// Keeps the file or folder `source` under its hash and `name`; durable when this returns. Precondition: nothing writes
/// to `source` any more, and it is on the file system of `folder`. The result lacks name and path. A problem: a link
/// that leads out of the folder, or an unreadable file. Throws StoreFault if it cannot be stored.
kernel::Result<kernel::KeptOutput> keep(const std::string& folder, const std::string& source, const std::string& name);

/// Keeps these entries of the folder `source` under the set-up's key, without following links; durable when this
/// returns. Entries that exist already are not replaced.
void keep_entries(const std::string& folder, const kernel::SetupKey& key, const std::string& source,
                  const std::vector<std::string>& entries);

}  // namespace memory
