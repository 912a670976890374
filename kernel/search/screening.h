#pragma once
// Screening many factors for the few that matter: which cells to run, what they mix up, and the main effects of what
// was measured. Estimates for selection; nothing in here is a verdict. Pure.

#include <optional>
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
  int resolution = 0;  ///< Of a fraction.
  std::vector<std::string> generators, aliases;
  std::string problem;  ///< Not empty: no design of so many cells can screen these factors, and this is why.
};

/// Every cell where `most_cells` allow it. Else, of factors with two levels each, the regular fraction of highest
/// resolution that fits; of other factors, and of ranges, a Latin hypercube of ten points a factor or as many as fit.
/// A fraction with cells left out would lose its balance, so constraints that deny some are refused where the full
/// factorial does not fit.
ScreenDesign screen_design(const StudySpec&, std::int64_t most_cells);

/// Two-way interactions can be told from main effects and from one another: all factors have two levels, no cell is
/// left out, and the design is full or of resolution V.
bool tells_interactions(const StudySpec&, SearchDesign, int resolution);

/// One estimate per factor (and per pair, where the design tells them), the largest for its standard error first. Of
/// two levels the difference of their means; of more the pair of levels that differ most for their standard error, from
/// the baseline where there is one; of a range the change from its low end to its high end along a straight line.
/// Least squares on all main effects, with the seeds as blocks where they are common; the error is that of replicates
/// of a cell, of a Latin hypercube that of cell means about the fitted plane.
std::vector<FactorEffect> screen_effects(const StudySpec&, SearchDesign, int resolution, std::span<const RunValue>);

}  // namespace kernel
