#pragma once

#include "kernel/study/state.h"

namespace kernel {

/// How many runs of the study run now, to show it: its live runs without those that wait until others end
/// (Machine::starts_in_turn). More than -j only after that was lowered, or until the end of a run is recorded.
int runs_at_work(const Study&);

}  // namespace kernel
