#pragma once
// A crossover: what treatment and control differ by has one sign at a level of a factor and the other at a later one.
// Pure; any thread.

#include <optional>
#include <span>

#include "kernel/domain/study_spec.h"
#include "kernel/inference/verdict.h"
#include "stats/effects/interaction.h"

namespace kernel {

/// The comparison at one level: `less` or `greater` than the control, without a margin.
Hypothesis at_one_level(const Hypothesis& crossover, Direction);

/// What each level's p is multiplied by: the pairs of levels among which the sign may change (see stats::crossover).
double crossover_pairs(const Hypothesis&);

struct CrossoverPValues {
  PValues p;
  stats::Crossover pair;  ///< The levels that show it best, as places in `steps`.
};
/// From each level's one-sided p, in the order of `steps`. Direction `less`: first less, later greater; `greater` the
/// other way round; `different` either.
std::optional<CrossoverPValues> crossover_p_values(const Hypothesis&, std::span<const stats::OneSided> levels);

}  // namespace kernel
