#pragma once
// Adds the runs of earlier stages that planned runs need. A run of an earlier stage is never evidence; the runs that
// need it fail with it. Pure.

#include "kernel/study/state.h"

namespace kernel {

/// The same runs, each after the runs of earlier stages that it needs: one per stage, cell and seed, shared by all.
/// Renumbers all runs from the first number. Precondition: the runs measure. Unchanged without stages.
RunsQueued with_stages(const StudySpec&, RunsQueued);

}  // namespace kernel
