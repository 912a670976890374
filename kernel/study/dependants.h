#pragma once
// Runs that wait for runs of earlier stages: whether their needs are met, and how they end if one fails. Pure.

#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// True if all runs that it needs have succeeded.
bool needs_met(const RunBoard&, const Run&);

/// True if the run, or one that waits for it, belongs to the arm.
bool concerns(const RunBoard&, const Arm&, const Run&);

/// Ends of all runs that wait for a run which ended for good in this state. Empty if it succeeded.
std::vector<RunEnded> ends_of_dependants(const Study&, const Run&, RunState, const Reason&);

}  // namespace kernel
