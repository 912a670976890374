#pragma once
// Freezes a workspace into blobs: the exact files of which every run gets a copy (workspace_copy.h). The manifest is a
// blob too, and its hash is the workspace's hash. Reads each file once; any thread.

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/domain/records.h"
#include "memory/files/blobs.h"

namespace memory {

/// Used if the study file gives no `max_size`.
inline constexpr std::int64_t default_workspace_bytes = 256 << 20;

struct Snapshot {
  kernel::WorkspaceRecord record;
  std::vector<std::string> warnings;
};

/// Durable when it returns. Leaves out .git, what .gitignore, .etudeignore and `exclude` say, folders with an
/// `etude.json`, and `home`; with a warning, special files and dangling links. Links that stay inside are kept. A
/// problem: no such folder, too large, unreadable, or a link that leads out.
kernel::Result<Snapshot> freeze(const kernel::WorkspaceSpec&, const std::string& home, Blobs&);

}  // namespace memory
