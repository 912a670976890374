#pragma once
// Copies a folder into another: contents (shared with the original if the file system can), modes, times and links.
// Sockets, pipes and devices are left out.

#include <string>

#include "executors/run_protocol/small_files.h"

namespace supervisor {

/// Copies the entries of `source` into the folder `target`. Calls `stop` between files. Returns the problem (also a
/// stop), or an empty string.
std::string copy_tree(int source, int target, bool (*stop)());

}  // namespace supervisor
