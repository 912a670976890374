#pragma once
// What lies below a folder, seen without following a link: how many bytes it takes up, and its removal.

#include <cstdint>
#include <vector>

#include "executors/run_protocol/process_tree.h"

namespace supervisor {

/// Bytes of disk below `path`, itself included; what vanishes meanwhile counts as nothing.
std::int64_t disk_use(int folder, const char* path);

/// Bytes of files on the folder's file system that have no name any more, but that one of the tree holds open.
std::int64_t unlinked_use(int folder, const std::vector<Process>& tree);

/// So little is left that the machine itself is in danger: 64 MB, or 2 % of a small file system, which is 8 MB at
/// least.
bool disk_nearly_full(int folder);
inline constexpr char no_room_left[] = "the disk of the run folder is full";

/// Removes everything below `path`, as far as that is allowed.
void empty_folder(int folder, const char* path);

/// Writes to disk every regular file below `path` that changed since `since_ms` (wall time).
void sync_tree(int folder, const char* path, std::int64_t since_ms);

}  // namespace supervisor
