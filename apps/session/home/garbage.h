#pragma once
// Files in a home that are no longer needed: what a killed kernel left, and what gc may delete. Finding deletes
// nothing. Deleting may be interrupted at any time and leaves the home consistent.

#include <string>
#include <vector>

#include "apps/session/home/home.h"
#include "memory/files/blobs.h"

namespace session {

enum class GarbageKind { blob, kept, half_written, workspace, run_folder, checkpoint, try_folder, reproduction };

struct Garbage {
  GarbageKind kind = GarbageKind::half_written;
  std::string path;  ///< Absolute.
  std::string why;   ///< Such as "no event names it".
};

/// What every kernel removes when it starts. That is: folders of ended runs and of launches that are not recorded (with
/// what still runs there), checkpoints that no attempt will read, and files of studies that the store does not have.
/// With `alone` (no guest is active) also half-written blobs and workspaces, and folders of tries whose job has ended.
/// Fast if there is nothing. Precondition for deleting: the caller owns the home and has not yet started a job or put a
/// blob.
std::vector<Garbage> leftovers(const HomePaths&, bool alone);
/// Finds and deletes them. Precondition: the caller owns the home and has not yet started a job or put a blob.
void remove_leftovers(const HomePaths&);

/// What gc deletes in addition: blobs that no event names, kept outputs that are not retained, and workspaces that no
/// unfinished study uses. Also artifacts of finished reproductions, which can be packaged again. Throws StoreFault if
/// this cannot be known. Precondition: the home has a store; to delete, own it and be alone.
std::vector<Garbage> unneeded(const HomePaths&);

/// Deletes as much as permissions allow.
void remove(const Garbage&);
/// Size of everything in it; links count as themselves.
std::int64_t size_of(const Garbage&);

/// blob | kept | half-written | workspace | run-folder | checkpoint | try-folder | reproduction
std::string_view name(GarbageKind);

/// The number of the run of which the folder, by its name, is a launch; 0 if it is none.
int launched_run(const std::string& folder_name);

}  // namespace session
