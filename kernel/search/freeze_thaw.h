#pragma once
// Searches whose runs continue the runs of the fidelity's level before: settings that wait there go on in a later
// round, and their runs continue. Pure.

#include <string>
#include <vector>

#include "kernel/search/model_search.h"
#include "kernel/study/state.h"

namespace kernel {

/// Chooses which settings go on to rung `next`, from those of all rounds that wait at the level before it, and notes
/// them in `ranked`. `outcomes`: of all cells of the search, with the fidelity. `recorded`: the settings that the log
/// lets go on, empty before it does; they stand if they may go on, because the model's choice depends on the machine's
/// arithmetic.
void thaw(const Study&, const std::vector<CellOutcome>& outcomes, std::size_t next, std::vector<Cell> recorded,
          RungRanked& ranked);

/// Makes the runs of a rung whose level rises continue the runs of their settings at `level_before`, on their seeds.
/// Runs without such a run stay as they are.
void continue_runs(const Study&, const std::string& level_before, RunsQueued&);

}  // namespace kernel
