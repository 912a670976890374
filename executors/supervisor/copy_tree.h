#pragma once
// A folder copied into another: contents (shared with the original where the file system can), modes, times and links
// as they are. Sockets, pipes and devices are left out.

#include <string>

#include "executors/run_protocol/small_files.h"

namespace supervisor {

/// Copies what lies in `source` into the folder `target`. `stop` is asked between files. Returns what went wrong (also
/// that it was stopped), empty when nothing did.
std::string copy_tree(int source, int target, bool (*stop)());

}  // namespace supervisor
