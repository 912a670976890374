#pragma once
// The manipulation check: does the code do what the factors say? Judged from smoke runs, before any registered run.

#include "kernel/study/state.h"

namespace kernel {

/// Of the smoke runs that have ended.
ManipulationChecked judge_manipulation(const Study&);

/// Next to nothing, beside a run that took `usual_s` of processor time and did some work.
bool cost_nothing(const Usage&, double usual_s);

}  // namespace kernel
