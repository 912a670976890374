#pragma once
// Starts a job's processes in one of three isolations, with stdin from /dev/null and both streams captured.

#include "executors/run_protocol/job_file.h"
#include "executors/run_protocol/outcome.h"
#include "executors/run_protocol/small_files.h"

namespace supervisor {

struct Launched {
  int pid = -1;                              ///< Our child: bubblewrap, the namespace's init, or the command itself.
  Isolation isolation = Isolation::sandbox;  ///< The isolation in effect, which may differ from the requested one.
  Fd out, err, report;                       ///< Read ends; `report` carries init.h's reports.
  Reason problem;                            ///< Why there is no process; empty if there is one.

  /// Processes no deeper than this belong to us, not to the job.
  int own_depth() const { return isolation == Isolation::sandbox ? 2 : isolation == Isolation::pid_namespace ? 1 : 0; }
};

Launched launch(const Job&);

}  // namespace supervisor
