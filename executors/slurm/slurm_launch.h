#pragma once
// How a launch on a cluster stands, from its run folder in the shared folder and from what Slurm says of it. The claim
// and the lock decide whether a job ran (docs/run-folder.md); Slurm's word only says why it ended. No threads.

#include <optional>
#include <string>

#include "executors/slurm/slurm_text.h"
#include "kernel/domain/job_spec.h"

namespace executors {

/// The outcome that the supervisor left; none if there is none. `at`: the job with its places on the nodes.
std::optional<kernel::JobOutcome> outcome_left(const kernel::JobSpec& at);

/// True if the outcome says that the job was told to stop, which Slurm also does at its time limit, for preemption and
/// for a person. Then its record is needed to know why.
bool asks_for_record(const kernel::JobOutcome&);
/// The outcome with Slurm's reason. `job`: its record, or null if Slurm has none any more: then the job is lost, since
/// a controller that has forgotten a job stops it.
kernel::JobOutcome with_reason_of(const SlurmJob* job, kernel::JobOutcome);

/// What the kernel cancels before its supervisor began can never begin. None if a supervisor was faster.
std::optional<kernel::JobOutcome> call_off(const kernel::JobSpec& at);

/// The outcome of a launch that Slurm says is over, or does not know any more, and that left none. None while the
/// supervisor still holds the lock and `surely` is false. A launch that never began is voided, and so may run again, if
/// its node or Slurm was at fault.
std::optional<kernel::JobOutcome> end_without_outcome(const kernel::JobSpec& at, const SlurmJob* job, bool surely);

/// The name of the node on which the batch script began; empty if it did not, or did not know it.
std::string node_of(const kernel::JobSpec& at);

/// Milliseconds since the epoch at which the command was started; 0 if it was not.
std::int64_t started_at(const kernel::JobSpec& at);
/// Whether a supervisor has claimed the launch.
bool has_begun(const kernel::JobSpec& at);

}  // namespace executors
