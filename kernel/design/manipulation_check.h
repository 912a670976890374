#pragma once
// The manipulation check: smoke runs show if the factors reach the program, before any registered run.

#include "kernel/study/state.h"

namespace kernel {

/// Judges the smoke runs that have ended.
ManipulationChecked judge_manipulation(const Study&);

/// True if the usage is almost nothing compared with a run that took `usual_s` of processor time and did real work.
bool cost_nothing(const Usage&, double usual_s);

}  // namespace kernel
