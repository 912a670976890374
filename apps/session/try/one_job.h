#pragma once
// Runs a single job outside of any study, also while a kernel owns the home; leaves nothing.

#include <functional>
#include <optional>
#include <string>

#include "base/scratch_folder.h"
#include "executors/backend/backend.h"
#include "kernel/domain/job_spec.h"

namespace session {

/// A folder for a run below `root`, deleted with its object. Throws std::runtime_error.
kernel::ScratchFolder scratch_in(const std::string& root);

enum class Begin { launch, follow };

/// Asks `goes_on` every 50 ms. When it says no, the job is cancelled, and the result is none when its whole tree is
/// dead. `follow`: an earlier process launched the job, with this folder and token; it is followed to its end.
std::optional<kernel::JobOutcome> run_job(const executors::Backend&, const kernel::JobSpec&,
                                          const std::function<bool()>& goes_on, Begin = Begin::launch);

}  // namespace session
