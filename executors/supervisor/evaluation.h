#pragma once
// Specifics of the second step of a run, the evaluation of a job's outputs after all its processes have ended.
// Independent of how either step is launched.

#include <string>

#include "executors/run_protocol/outcome.h"

namespace supervisor {

/// The first link below the open folder that leads out of it, or may not be followed; empty if there is none. The
/// evaluator would follow it, perhaps to data that only the evaluator may read.
std::string link_leading_out(int folder);

/// Merges the outcomes: the run is cancelled, or ended for lack of space, if its evaluation was.
void add_evaluation(Outcome& run, const Outcome& evaluation);

}  // namespace supervisor
