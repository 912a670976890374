#pragma once
// What is particular to the second step of a run: the evaluation of what a job has left, once all its processes are
// gone. Knows nothing of how either is launched.

#include <string>

#include "executors/run_protocol/outcome.h"

namespace supervisor {

/// The first link below the open folder that leads out of it, or where none may be followed; empty: there is none. The
/// evaluator would follow it, perhaps to what it alone may read.
std::string link_leading_out(int folder);

/// What became of the run, seen together: it is cancelled, or has found no room, when its evaluation was or has.
void add_evaluation(Outcome& run, const Outcome& evaluation);

}  // namespace supervisor
