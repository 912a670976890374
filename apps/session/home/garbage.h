#pragma once
// Files in a home that are no longer needed: what a killed kernel left, and what gc may delete. Finding deletes
// nothing. Deleting may be interrupted at any time and leaves the home consistent.

#include <string>
#include <vector>

#include "apps/session/home/home.h"
#include "executors/backend/backend.h"

namespace session {

enum class GarbageKind { blob, kept, half_written, workspace, run_folder, checkpoint, try_folder, reproduction, copy };

struct Garbage {
  GarbageKind kind = GarbageKind::half_written;
  std::string path;  ///< Absolute.
  std::string why;   ///< Such as "no event names it".
};

/// Files that every kernel removes when it starts: folders of runs whose end is recorded and of launches that are not
/// recorded (their processes are ended, too), checkpoints that no attempt will read, and files of studies that the
/// store does not have. With `alone` (no guest is active) also incomplete blobs and workspaces, and the folders of
/// tries whose job has ended. To delete them, the caller owns the home and has started no job and put no blob yet.
std::vector<Garbage> leftovers(const HomePaths&, const executors::Backend&, bool alone);
/// Finds and deletes the leftovers. Precondition: the caller owns the home, has started no job and put no blob yet.
void remove_leftovers(const HomePaths&, const executors::Backend&);

/// Files that only gc deletes: blobs that no event names, kept outputs that are not retained, workspaces that no
/// unfinished study uses, artifacts of finished reproductions, which can be packaged again, and in the shared folder of
/// a cluster what no launch needs that may still go on. `leftovers`: those found before. Throws StoreFault if this
/// cannot be determined. Precondition: the home has a store. To delete them, the caller owns the home and no guest is
/// active.
std::vector<Garbage> collectable(const HomePaths&, const executors::Backend&, std::vector<Garbage> leftovers);

/// Deletes it, as far as permissions allow.
void remove(const Garbage&, const executors::Backend&);
/// The bytes of all files in it, and of what `elsewhere` has for it; links are not followed.
std::int64_t size_of(const Garbage&, const std::vector<executors::Elsewhere>& elsewhere);

/// blob | kept | half-written | workspace | run-folder | checkpoint | try-folder | reproduction | copy
std::string_view name(GarbageKind);

}  // namespace session
