#pragma once
// Runs that wait for runs of earlier stages: whether what they need is there, and how they end when it fails. Pure.

#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// Every need of it has succeeded.
bool needs_met(const RunBoard&, const Run&);

/// Whether the run, or one that waits for it, belongs to the arm.
bool concerns(const RunBoard&, const Arm&, const Run&);

/// The ends of all that waits for a run which ended so for good. Empty where it succeeded.
std::vector<RunEnded> ends_of_dependants(const Study&, const Run&, RunState, const Reason&);

}  // namespace kernel
