#pragma once
// Outputs that are too large to copy, or that other runs take as they are: HOME/kept/SHA256/NAME, linked from the run's
// folder, so that a collection that was cut short can be repeated. Knows nothing of runs.

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/domain/records.h"

namespace memory {

/// Keeps what `source` (a file or folder that nobody writes to any more, on the file system of `folder`) holds, under
/// its hash and `name`; durable when this returns. The result lacks name and path. A problem: a link that leads out of
/// the folder, or what cannot be read. Throws StoreFault when it cannot be stored.
kernel::Result<kernel::KeptOutput> keep(const std::string& folder, const std::string& source, const std::string& name);

/// Keeps these entries of the folder `source`, links as they are, under the set-up's key; durable when this returns.
/// What is there already stays.
void keep_entries(const std::string& folder, const kernel::SetupKey& key, const std::string& source,
                  const std::vector<std::string>& entries);

}  // namespace memory
