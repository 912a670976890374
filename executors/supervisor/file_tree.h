#pragma once
// Trees of files of a job: copied before it runs, and its outputs searched for links that lead out before its
// evaluation runs. A copy shares contents with the original if the file system can, and keeps modes, times and links.
// Sockets, pipes and devices are left out.

#include <string>

#include "executors/run_protocol/small_files.h"

namespace supervisor {

/// Copies the entries of `source` into the folder `target`. Calls `stop` between files. Returns the problem (also a
/// stop), or an empty string.
std::string copy_tree(int source, int target, bool (*stop)());

/// The first link below the open folder that leads out of it, or may not be followed; empty if there is none. The
/// evaluator would follow it, perhaps to data that only the evaluator may read.
std::string link_leading_out(int folder);

}  // namespace supervisor
