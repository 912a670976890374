#pragma once
// Runs one job to its end: launch, capture, limits, and the end of the whole tree. One thread, one poll loop; time-outs
// use the boot clock. Returns when no process of the job is left that can be killed.

#include "executors/run_protocol/job_file.h"
#include "executors/run_protocol/outcome.h"
#include "executors/supervisor/launch.h"

namespace supervisor {

/// The run's folder and the channels for cancellation and notice.
struct Post {
  int folder = -1;       ///< The run's.
  int signals = -1;      ///< A signalfd for SIGTERM, SIGINT and SIGCHLD, which are blocked.
  int notify = -1;       ///< Receives `launched` soon after the command began, if it still runs; -1: not wanted.
  KeptNamespaces& kept;  ///< As new afterwards, or gone.
};

/// True after a request to end this process.
bool called_off(int signals);

Outcome watch(const Post&, const Job&);

}  // namespace supervisor
