#pragma once
// Finds out the state of a launch whose launcher may be gone, without ever letting a job start twice. Independent of
// threads and events. Every answer except `unclear` is final or names the process to watch.

#include <string>

#include "executors/local/run_folder.h"
#include "kernel/domain/job_spec.h"

namespace executors {

/// An outcome that ends now, for a launch of which this process saw no run.
kernel::JobOutcome outcome_without_run(const kernel::JobSpec&, kernel::JobEnd, kernel::Reason);

struct LaunchStanding {
  enum class Kind {
    ended,    ///< `outcome` tells how; also for `voided` and `lost`.
    running,  ///< Under the supervisor of `claim`.
    unclear,  ///< Another process is between two steps: ask again soon.
  } kind = Kind::unclear;
  kernel::JobOutcome outcome;
  LaunchClaim claim;  ///< Empty if there is none, or if it is another launch's.
};

/// Voids the launch if it has no claim. If the claim's process is gone without an outcome, kills every process that
/// carries the token and declares the launch lost.
LaunchStanding find_out(const kernel::JobSpec&);

/// Whether a supervisor, or an executor that voids it, has claimed the launch.
bool is_claimed(const kernel::JobSpec&);

/// True once nothing runs or will run in this run folder. Voids the launch if it has no claim, as `find_out` does. For
/// launches of studies that no kernel works on.
bool is_over(const std::string& folder);

/// Ends a launch that no kernel tracks: voided if it has not begun; else its supervisor and all processes with its
/// token are killed. False if some did not die. Precondition: no kernel uses its token.
bool end_stray(const std::string& folder);

}  // namespace executors
