#pragma once
// Runs a single job outside of any study, also while a kernel owns the home; leaves nothing.

#include <optional>
#include <string>

#include "base/scratch_folder.h"
#include "kernel/domain/job_spec.h"

namespace cli {

/// A folder for a run below `root`, deleted with its object. Throws std::runtime_error.
kernel::ScratchFolder scratch_in(const std::string& root);

/// None if a signal ended it: then the job is cancelled and all its processes are dead. Precondition: the signals are
/// blocked.
std::optional<kernel::JobOutcome> run_job(const kernel::JobSpec&, bool show_log);

}  // namespace cli
