#pragma once
// A run folder as the executor's side sees it (docs/run-folder.md): writes what a supervisor needs, reads what it left.
// Knows nothing of processes. Whoever holds the folder's claim owns what is in it.

#include <optional>
#include <string>

#include "executors/supervisor/job.h"
#include "kernel/executor.h"
#include "kernel/result.h"

namespace executors {

/// Creates the folder (0700, parents too) with `job` and `params.json`. A problem when the disk refuses.
std::optional<kernel::Problem> write_run_folder(const kernel::JobSpec&, const supervisor::Job&);

/// The supervisor that wrote `pid`.
struct Supervisor {
  int pid = 0;
  long long start = 0;
  std::string boot;
  std::int64_t started_ms = 0;  ///< When its job was launched; 0: not yet.
};
/// Nothing while the file is absent or half-written.
std::optional<Supervisor> read_supervisor(int folder);

/// Nothing without an outcome of this token.
std::optional<kernel::JobOutcome> read_outcome(int folder, const std::string& run, const std::string& token);

/// The claim's content without its line end.
std::optional<std::string> read_claim(int folder);

}  // namespace executors
