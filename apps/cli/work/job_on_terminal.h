#pragma once
// Runs a single job outside of any study (apps/session/try), with its log on the terminal and until a signal ends it.

#include <optional>

#include "apps/session/try/one_job.h"

namespace cli {

/// Nothing when a signal ended it: the job is cancelled then, and its whole tree is dead. Precondition: the signals are
/// held.
std::optional<kernel::JobOutcome> run_job(const executors::Backend&, const kernel::JobSpec&, bool show_log,
                                          session::Begin = session::Begin::launch);

}  // namespace cli
