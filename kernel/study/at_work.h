#pragma once
// How many runs of a study run now, of those that are live. Pure.

#include "kernel/study/state.h"

namespace kernel {

/// To show it: the live runs without those that wait until others end (Machine::starts_in_turn). More than -j only
/// after that was lowered, or until the end of a run is recorded.
int runs_at_work(const Study&);

}  // namespace kernel
