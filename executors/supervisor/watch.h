#pragma once
// Runs one job to its end: launch, capture, limits, the end of the whole tree. One thread, one poll loop; time-outs by
// the boot clock. Returns when nothing of the job is left that can be killed.

#include "executors/run_protocol/job_file.h"
#include "executors/run_protocol/outcome.h"

namespace supervisor {

/// Where the run is, and how it may be called off.
struct Post {
  int folder = -1;   ///< The run's.
  int signals = -1;  ///< A signalfd for SIGTERM, SIGINT and SIGCHLD, which are blocked.
  int notify = -1;   ///< Told `launched` once the command runs; -1: nobody listens.
};

/// True once somebody has asked this process to end.
bool called_off(int signals);

Outcome watch(const Post&, const Job&);

}  // namespace supervisor
