#pragma once
// A run folder from the executor's side (docs/run-folder.md): writes the supervisor's inputs and reads its results.
// Independent of processes. The holder of the folder's claim owns its contents.

#include <optional>
#include <string>

#include "base/result.h"
#include "executors/run_protocol/job_file.h"
#include "kernel/domain/job_spec.h"

namespace executors {

/// Creates the folder (0700, with parents) with `job` and `params.json`, and the checkpoint's folder if it is
/// elsewhere. Returns a problem if the disk refuses.
std::optional<kernel::Problem> write_run_folder(const kernel::JobSpec&, const supervisor::Job&);

/// True if the disk of this folder, which need not exist, is full.
bool no_room_at(const std::string& folder);

/// True if a supervisor holds the folder's lock.
bool is_supervised(const std::string& folder);

/// Removes a launch's folder, as far as permissions allow, so that a supervisor that is about to claim it starts
/// nothing. Precondition: the launch ended or was voided.
void remove_run_folder(const std::string& folder);

/// The process that may start, or has started, the job.
struct Claim {
  std::string mark;  ///< First line of the file.
  int pid = 0;       ///< The supervisor; 0 in a void claim.
  long long start = 0;
  std::string boot;
  std::int64_t started_ms = 0;  ///< Time of the job's launch; 0 before it.
};
/// None if there is no claim.
std::optional<Claim> read_claim(int folder);

/// None if there is no outcome of this token.
std::optional<kernel::JobOutcome> read_outcome(int folder, const std::string& run, const kernel::LaunchToken& token);

}  // namespace executors
