#pragma once
// Runs in several steps: which runs of earlier stages a planned run needs, and what becomes of it when one of them does
// not succeed. A run of an earlier stage is never evidence; whoever needs it inherits its failure. Pure.

#include <vector>

#include "kernel/state.h"

namespace kernel {

/// The part of a cell that a stage's runs differ by: its own factors and those of all it needs.
Cell stage_cell(const StudySpec&, const StageSpec&, const Cell&);

/// The same runs, each behind those of earlier stages that it needs: one per stage, cell and seed, shared by all.
/// Numbers them anew from that of the first. Precondition: the runs are measuring ones. Unchanged without stages.
RunsQueued with_stages(const StudySpec&, RunsQueued);

/// Every need of it has succeeded.
bool needs_met(const Study&, const Run&);

/// Whether the run, or one that waits for it, belongs to the arm.
bool concerns(const Study&, const Arm&, const Run&);

/// The ends of all that waits for a run which ended so for good. Empty where it succeeded.
std::vector<RunEnded> ends_of_dependants(const Study&, const Run&, RunState, const std::string& reason);

}  // namespace kernel
