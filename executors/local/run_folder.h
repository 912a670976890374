#pragma once
// A run folder as the executor's side sees it (docs/run-folder.md): writes what a supervisor needs, reads what it left.
// Knows nothing of processes. Whoever holds the folder's claim owns what is in it.

#include <optional>
#include <string>

#include "base/result.h"
#include "executors/run_protocol/job_file.h"
#include "kernel/domain/job_spec.h"

namespace executors {

/// Creates the folder (0700, parents too) with `job` and `params.json`, and the checkpoint's where it lies elsewhere. A
/// problem when the disk refuses.
std::optional<kernel::Problem> write_run_folder(const kernel::JobSpec&, const supervisor::Job&);

/// Whether the disk that the folder lies on, or would, is full.
bool no_room_at(const std::string& folder);

/// Whether a supervisor holds the folder's lock.
bool is_supervised(const std::string& folder);

/// Removes a launch's folder, as far as that is allowed, so that a supervisor still on its way there starts nothing.
/// Precondition: the launch ended or was voided.
void remove_run_folder(const std::string& folder);

/// Who may start, or has started, the job.
struct Claim {
  std::string mark;  ///< The first line.
  int pid = 0;       ///< The supervisor; 0 in a void claim.
  long long start = 0;
  std::string boot;
  std::int64_t started_ms = 0;  ///< When its job was launched; 0: not yet.
};
/// Nothing while there is none.
std::optional<Claim> read_claim(int folder);

/// Nothing without an outcome of this token.
std::optional<kernel::JobOutcome> read_outcome(int folder, const std::string& run, const kernel::LaunchToken& token);

}  // namespace executors
