#pragma once
// The rules that join the p-values of a hypothesis's parts and turn them into a verdict; runs, metrics and methods have
// no influence here. Pure; any thread. One interval decides, and p-values express the same rule. Its level is 1 − 2α
// (for `different` 1 − α). It lies inside a region exactly if the p against "the truth lies outside it" is at most α.

#include <optional>
#include <span>

#include "kernel/domain/records.h"
#include "stats/effects/interaction.h"

namespace kernel {

/// Evidence of the data against three statements about the truth; 1 is none.
struct PValues {
  double outside = 1;  ///< "It lies outside the hypothesised region": the contract's `p`.
  double inside = 1;   ///< "It lies inside the hypothesised region."
  double beyond = 1;   ///< "It goes at least `smallest_effect` beyond the margin" (less, greater and different only).
};

/// `step` is the level at which the hypothesis was tested (Holm's step, or where Holm stopped); `family` is α/M.
Verdict verdict_of(const PValues&, double step, double family);

/// The p-values of a hypothesis that holds only if all `parts` hold (intersection–union: Berger, "Multiparameter
/// hypothesis testing and acceptance sampling", Technometrics 24 (1982)). Any part refutes it: Bonferroni there.
PValues in_every(std::span<const PValues> parts);

/// A crossover: the difference between treatment and control has one sign at a level of a factor, and the other sign at
/// a later level. This is the comparison at one level: `less` or `greater` than the control, without a margin.
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

/// The level of the two-sided interval that decided; `alpha` is α/M for refuted, else the step.
double deciding_level(Direction, Verdict, double alpha);

}  // namespace kernel
