#pragma once
// Which of the registered runs are due: with looks they are queued part by part, and what is decided or withdrawn needs
// no more of them. Pure.

#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// The registered runs that are due now: up to the experiment's next look, of the hypotheses that went on after its
/// last one.
RunsQueued due_runs(const Study&, const Experiment&);
/// Numbers of the waiting runs that serve only this hypothesis.
std::vector<int> needless_runs(const Study&, const HypothesisRecord&);
/// Per cell of the registration, how many replicates have been due so far.
std::vector<int> due_replicates(const Study&, const Experiment&);

}  // namespace kernel
