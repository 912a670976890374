#pragma once
// A crossover: the difference between treatment and control has one sign at a level of a factor, and the other sign at
// a later level. Pure; any thread.

#include <optional>
#include <span>

#include "kernel/domain/study_spec.h"
#include "kernel/inference/verdict.h"
#include "stats/effects/interaction.h"

namespace kernel {

/// The comparison at one level: `less` or `greater` than the control, without a margin.
Hypothesis at_one_level(const Hypothesis& crossover, Direction);

/// The factor on each level's p: the pairs of levels between which the sign may change (stats::crossover).
double crossover_pairs(const Hypothesis&);

struct CrossoverPValues {
  PValues p;
  stats::Crossover pair;  ///< The levels that show it best, as indices into `steps`.
};
/// The p-values from each level's one-sided p, in the order of `steps`. Direction `less` means first less, later
/// greater; `greater` the reverse; `different` either.
std::optional<CrossoverPValues> crossover_p_values(const Hypothesis&, std::span<const stats::OneSided> levels);

}  // namespace kernel
