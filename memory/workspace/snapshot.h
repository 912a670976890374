#pragma once
// Freezes a workspace into blobs, the exact files of which every run gets a copy, and makes and compares such copies.
// The manifest is a blob too, and its hash is the workspace's hash. Any thread.

#include <optional>
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
/// problem: no such folder, too large, unreadable, or a link that leads out. Reads each file once.
kernel::Result<Snapshot> freeze(const kernel::WorkspaceSpec&, const std::string& home, Blobs&);

/// What can be said of a workspace before it is frozen.
struct WorkspaceSurvey {
  std::vector<std::string> pins;  ///< As WorkspaceRecord::seed_pins.
  bool reads_variable = false;    ///< If some file mentions ETUDE_SEED.
  kernel::IgnoredFiles ignored{};
  std::vector<std::string> warnings{};  ///< As Snapshot::warnings.
  std::vector<std::string> files{};     ///< Paths of all of it, also of its links and empty folders.
};
/// Reads the first files, 8 MB at most, and stores nothing; empty if the workspace cannot be read.
WorkspaceSurvey survey(const kernel::WorkspaceSpec&, const std::string& home);

/// The hash that `freeze` would give the workspace now; reads every file and stores nothing. None if it cannot be read
/// or is too large.
std::optional<kernel::WorkspaceHash> hash_now(const kernel::WorkspaceSpec&, const std::string& home);

/// How `folder` differs from the snapshot of that hash, bytes, kinds and executable bits: "src/sort.py was changed",
/// "… is missing", "… is not in the manifest". Throws StoreFault when the manifest's blob is missing or damaged.
std::vector<std::string> differences(const kernel::WorkspaceHash& hash, const std::string& folder, const Blobs&);

/// Makes `folder` from the snapshot of that hash, and anew where it differs from it: whole and durable, or not at all.
/// Modes are 0644 and 0755, times all the same. Throws StoreFault when a blob is missing or damaged.
void materialise(const kernel::WorkspaceHash& hash, const std::string& folder, const Blobs&);

}  // namespace memory
