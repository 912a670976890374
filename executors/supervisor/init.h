#pragma once
// The first process of a job's PID namespace: starts the command, reaps orphans, says exactly how the command ended,
// and leaves; the kernel then kills whatever remains. The supervisor becomes one by a fork; inside the sandbox it is
// a program of its own (executors/init), made of the same source without the C library.

#include <cstdint>

namespace supervisor {

/// What the launched side says through its pipe.
struct Report {
  enum Kind : std::int32_t { isolated, cannot_isolate, launched, cannot_execute, ended } kind;
  std::int32_t value;  ///< errno; for `ended` the wait status.
};

void send(int pipe, Report);

/// Replaces this process by the command, looked for like execvp's in the environment's PATH, or says why not and
/// leaves. `directory` null: stay.
[[noreturn]] void execute(int report, char** arguments, char** environment, const char* directory);

/// Never returns; precondition: this is process 1 of its namespace.
/// `processes`: how many it may have at once, itself included, where Linux counts them; 0: no limit.
[[noreturn]] void run_init(int report, std::int64_t processes, char** arguments, char** environment,
                           const char* directory);

/// `PROGRAM --init REPORT PROCESSES COMMAND…` becomes an init; other words return.
void run_init_if_told(int count, char** words, char** environment);

}  // namespace supervisor
