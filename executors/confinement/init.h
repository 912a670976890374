#pragma once
// The first process of a sandbox. It starts the command, reaps orphans, reports how the command ended and exits; the
// kernel then kills all other processes. It is a separate program (executors/init), built from this source without the
// C library. Where there is none, it is the supervisor's program.

#include <cstdint>

#include "executors/confinement/call_filter.h"

namespace supervisor {

/// A report from the launched side through its pipe.
struct Report {
  enum Kind : std::int32_t { cannot_isolate = 1, launched, cannot_execute, ended } kind;
  std::int32_t value;  ///< errno, or the wait status for `ended`.
};

void send(int pipe, Report);

/// Replaces this process by the command, found in the environment's PATH as by execvp and with its system calls
/// filtered, or reports the error and exits. `directory` null: do not change it.
[[noreturn]] void execute(int report, Walls walls, char** arguments, char** environment, const char* directory);

/// Limits the processes at once of this user namespace, if Linux counts them per namespace; 0: no limit.
void limit_processes(std::int64_t processes);

/// Turns `PROGRAM --init REPORT PROCESSES COMMAND…` into an init; returns for other arguments.
void run_init_if_told(int count, char** words, char** environment);

}  // namespace supervisor
