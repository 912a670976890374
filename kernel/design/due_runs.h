#pragma once
// Which registered runs are due. With looks, they are queued part by part; a hypothesis that was decided or withdrawn
// needs no more runs. Pure.

#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// The registered runs that are due up to the experiment's next look, for the hypotheses that went on after the last
/// look.
RunsQueued due_runs(const Study&, const Experiment&);
/// Numbers of the waiting runs that serve only this hypothesis.
std::vector<int> needless_runs(const Study&, const HypothesisRecord&);
/// The number of replicates that have been due so far, for each cell of the registration.
std::vector<int> due_replicates(const Study&, const Experiment&);

}  // namespace kernel
