#pragma once
// Files in a home that are no longer needed: what a killed kernel left, and what gc may delete. Finding deletes
// nothing. Deleting may be interrupted at any time and leaves the home consistent.

#include <string>
#include <vector>

#include "apps/session/home/home.h"
#include "executors/backend/backend.h"

namespace session {

enum class GarbageKind { blob, kept, half_written, workspace, run_folder, checkpoint, try_folder, reproduction };

struct Garbage {
  GarbageKind kind = GarbageKind::half_written;
  std::string path;  ///< Absolute.
  std::string why;   ///< Such as "no event names it".
};

/// What every kernel removes when it starts: the folders of runs whose end is recorded and of launches that are not on
/// record (with what still runs there), checkpoints that no attempt will read, and what belongs to studies that the
/// store does not have; `alone` (no guest is there) also half-made blobs and workspaces, and the folders of tries whose
/// job is over. Cheap where nothing was left. The caller owns the home and has neither started a job nor put a blob
/// yet, or deletes nothing of it.
std::vector<Garbage> garbage_of(const HomePaths&, const executors::Backend&, bool alone);
/// Finds them and deletes them. Precondition: the caller owns the home, has started no job and put no blob yet.
void remove_leftovers(const HomePaths&, const executors::Backend&);

/// What gc takes beside them: blobs that no event names, kept outputs that are not retained, workspaces that no
/// unfinished study uses, and the artifacts of finished reproductions, which can be packaged again. Throws StoreFault
/// where that cannot be known. Precondition: the home has a store; to delete, own it and be alone.
std::vector<Garbage> unneeded(const HomePaths&, const executors::Backend&);

/// As far as that is allowed.
void remove(const Garbage&, const executors::Backend&);
/// Of everything in it; links count as themselves.
std::int64_t size_of(const Garbage&);

/// blob | kept | half-written | workspace | run-folder | checkpoint | try-folder | reproduction
std::string_view name(GarbageKind);

/// The number of the run of which the folder, by its name, is a launch; 0 if it is none.
int launched_run(const std::string& folder_name);

}  // namespace session
