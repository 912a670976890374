#pragma once
// Which of a hypothesis's runs were made again because they asked for it. Who asks can throw a value away that he has
// seen, and a verdict says how often that was possible. Pure; any thread.

#include "kernel/study/state.h"

namespace kernel {

/// How many runs asked to be run again, of the experiment's registered runs that the hypothesis rests on, each attempt
/// counted; else empty.
Reason repeats_warning(const Study&, const Experiment&, const Hypothesis&);

}  // namespace kernel
