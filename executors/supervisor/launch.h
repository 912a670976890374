#pragma once
// Starts a job's processes in one of three isolations, with stdin from /dev/null and both streams captured.

#include "executors/confinement/job_namespaces.h"
#include "executors/run_protocol/job_file.h"
#include "executors/run_protocol/outcome.h"
#include "executors/run_protocol/process_tree.h"
#include "executors/run_protocol/small_files.h"

namespace supervisor {

struct Launched {
  int pid = -1;                              ///< Our child: bubblewrap, or the command itself.
  int init = 0;                              ///< The first process of the job's PID namespace, if it has one.
  Isolation isolation = Isolation::sandbox;  ///< The isolation in effect, which may differ from the requested one.
  Fd out, err, report;                       ///< Read ends; `report` carries init.h's reports, and ends with exec.
  Fd out_writes, err_writes;                 ///< Write ends, which share their mode with the job's.
  Reason problem;                            ///< Why there is no process; empty if there is one.

  /// bubblewrap and the init in the sandbox, or the namespace's init.
  OwnProcesses own() const { return {isolation == Isolation::sandbox ? 2 : 0, init}; }
};

/// A job without a sandbox runs in these namespaces. They are made if there are none.
Launched launch(const Job&, JobNamespaces&);

}  // namespace supervisor
