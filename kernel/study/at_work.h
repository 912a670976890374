#pragma once

#include "kernel/study/state.h"

namespace kernel {

/// How many runs of the study may run now: its live runs without those that wait until others end
/// (Machine::starts_in_turn). More than its -j only after that was lowered.
int runs_at_work(const Study&);

}  // namespace kernel
