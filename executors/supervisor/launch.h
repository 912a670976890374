#pragma once
// Starts a job's processes in one of three isolations, with stdin from /dev/null and both streams captured.

#include "executors/confinement/empty_network.h"
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

/// What a supervisor keeps from one job to the next.
struct KeptNamespaces {
  JobNamespaces job;     ///< Of a job without a sandbox; as new after each job, or gone.
  EmptyNetwork network;  ///< Of a job in the sandbox.
};

/// Namespaces that the job needs and that are not there are made.
Launched launch(const Job&, KeptNamespaces&);

}  // namespace supervisor
