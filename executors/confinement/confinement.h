#pragma once
// What can still hold a job where no sandbox can be made: Landlock, which needs no namespaces. Knows the system calls
// only by their numbers, since they are newer than the headers of some systems.

#include "executors/run_protocol/job_file.h"

namespace supervisor {

/// Confines this process and all that it starts to `Job::may_read` and `Job::may_write`, and keeps it from signals and
/// sockets in memory to other processes, as far as this kernel has Landlock; without it nothing happens. A path that
/// does not exist is left out. Sets no_new_privs, and leaves root no capabilities from
/// the next program on. Returns errno, or 0.
int confine(const Job&);

}  // namespace supervisor
