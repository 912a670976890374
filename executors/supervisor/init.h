#pragma once
// The first process of a job's PID namespace: starts the command, reaps orphans, says exactly how the command ended,
// and leaves; the kernel then kills whatever remains. Runs inside the sandbox, too, where it is this same binary.

#include <cstdint>

namespace supervisor {

/// What the launched side says through its pipe.
struct Report {
  enum Kind : std::int32_t { isolated, cannot_isolate, launched, cannot_execute, ended } kind;
  std::int32_t value;  ///< errno; for `ended` the wait status.
};

void send(int pipe, Report);

/// Replaces this process by the command, or says why not and leaves. `directory` null: stay.
[[noreturn]] void execute(int report, char** arguments, char** environment, const char* directory);

/// Never returns; precondition: this is process 1 of its namespace.
/// `processes`: how many it may have at once, itself included, where Linux counts them; 0: no limit.
[[noreturn]] void run_init(int report, std::int64_t processes, char** arguments, char** environment,
                           const char* directory);

}  // namespace supervisor
