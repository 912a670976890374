#pragma once
// Disk use below a folder, without following links.

#include <cstdint>
#include <vector>

#include "executors/run_protocol/process_tree.h"

namespace supervisor {

/// Bytes of disk below `path`, itself included; entries that vanish meanwhile count as 0.
std::int64_t disk_use(int folder, const char* path);

/// Bytes of disk of one file; 0 if there is none.
std::int64_t file_use(int folder, const char* path);

/// Bytes of files on the folder's file system that are deleted but still open in a process of the tree.
std::int64_t unlinked_use(int folder, const std::vector<Process>& tree);

/// True if so little is free that the machine is at risk: 64 MB, or on a small file system 2 %, at least 8 MB.
bool disk_nearly_full(int folder);

/// Writes to disk every regular file below `path` that changed since `since_ms` (wall time).
void sync_tree(int folder, const char* path, std::int64_t since_ms);

}  // namespace supervisor
