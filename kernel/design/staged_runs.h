#pragma once
// Runs in several steps: which runs of earlier stages a planned run needs, and what becomes of it when one of them does
// not succeed. A run of an earlier stage is never evidence; whoever needs it inherits its failure. Pure.

#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// The same runs, each behind those of earlier stages that it needs: one per stage, cell and seed, shared by all.
/// Numbers them anew from that of the first. Precondition: the runs are measuring ones. Unchanged without stages.
RunsQueued with_stages(const StudySpec&, RunsQueued);

}  // namespace kernel
