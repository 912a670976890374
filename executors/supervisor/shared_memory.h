#pragma once
// Memory that no process of a job has mapped: files in memory (memfd_create), which are counted, and System V segments,
// for which Linux has a limit.

#include <cstdint>
#include <vector>

#include "executors/run_protocol/process_tree.h"

namespace supervisor {

/// Bytes of files in memory that a process of the tree holds open, mapped or not.
std::int64_t memory_files(const std::vector<Process>& tree);

/// Limits the System V segments of the process's IPC namespace, which must not be ours, to so many bytes together.
/// Without root, Linux allows it from 6.9. Does nothing where it is not allowed.
void limit_segments(int process, std::int64_t bytes);

}  // namespace supervisor
