#pragma once
// The manipulation check: does the code do what the factors say? Judged from smoke runs, before any registered run.

#include "kernel/state.h"

namespace kernel {

/// Precondition: the smoke runs have ended.
ManipulationChecked judge_manipulation(const Study&);

}  // namespace kernel
