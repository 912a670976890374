#pragma once
// Starts a job's processes in one of the three isolations, with stdin from /dev/null and both streams captured.

#include "executors/run_protocol/job_file.h"
#include "executors/run_protocol/small_files.h"

namespace supervisor {

struct Launched {
  int pid = -1;                              ///< Our child: bubblewrap, the namespace's init, or the command itself.
  Isolation isolation = Isolation::sandbox;  ///< What came of the one asked for.
  Fd out, err, report;                       ///< Read ends; `report` carries init.h's reports.
  std::string problem;                       ///< Why there is no process, if there is none.

  /// Processes no deeper than this are ours, not the job's.
  int own_depth() const { return isolation == Isolation::sandbox ? 2 : isolation == Isolation::pid_namespace ? 1 : 0; }
};

Launched launch(const Job&);

}  // namespace supervisor
