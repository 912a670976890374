#pragma once
// Runs a single job outside of any study, also while a kernel owns the home; leaves nothing.

#include <optional>
#include <string>

#include "base/scratch_folder.h"
#include "executors/backend/backend.h"
#include "kernel/domain/job_spec.h"

namespace cli {

/// A folder for a run below `root`, deleted with its object. Throws std::runtime_error.
kernel::ScratchFolder scratch_in(const std::string& root);

enum class Begin { launch, follow };

/// Nothing when a signal ended it: the job is cancelled then, and its whole tree is dead. `follow`: an earlier process
/// launched the job, with this folder and token; it is followed to its end. Precondition: the signals are held.
std::optional<kernel::JobOutcome> run_job(const executors::Backend&, const kernel::JobSpec&, bool show_log,
                                          Begin = Begin::launch);

}  // namespace cli
