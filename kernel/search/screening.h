#pragma once
// Screening of many factors for the few that matter: the cells to run, their aliases, and the main effects of the
// results. These are estimates for selection, never verdicts. Pure.

#include <span>
#include <string>
#include <vector>

#include "kernel/domain/search_records.h"
#include "kernel/domain/study_spec.h"
#include "kernel/evidence/observations.h"

namespace kernel {

struct ScreenDesign {
  SearchDesign design = SearchDesign::full;
  std::vector<Cell> cells;
  int resolution = 0;  ///< Only for a fraction.
  std::vector<std::string> generators, aliases;
  Reason problem;  ///< Why no design of so many cells can screen these factors; empty if one can.
};

/// Every cell if `most_cells` allows it. Else, if all factors have two levels, the regular fraction of highest
/// resolution that fits; otherwise a Latin hypercube of ten points per factor, or as many as fit. Excluded cells would
/// unbalance a fraction, so constraints are refused if the full factorial does not fit.
ScreenDesign screen_design(const StudySpec&, std::int64_t most_cells);

/// True if the design separates two-way interactions from main effects and from one another: all factors have two
/// levels, no cell is left out, and the design is full or of resolution V.
bool tells_interactions(const StudySpec&, SearchDesign, int resolution);

/// One estimate per factor (and per pair, if the design separates them), the largest relative to its standard error
/// first. Two levels give the difference of their means. More levels give the pair that differs most relative to its
/// standard error, from the baseline if there is one. A range gives the change from its low to its high end along a
/// straight line. The fit is least squares on all main effects, with seeds as blocks if they are shared. The error
/// comes from replicates within cells, or for a Latin hypercube from cell means about the fitted plane.
std::vector<FactorEffect> screen_effects(const StudySpec&, SearchDesign, int resolution, std::span<const RunValue>);

}  // namespace kernel
