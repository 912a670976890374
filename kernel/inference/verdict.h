#pragma once
// The rules that join the p-values of a hypothesis's parts and turn them into a verdict; runs, metrics and methods have
// no influence here. Pure; any thread. One interval decides, and p-values express the same rule: an interval at level
// 1 − 2α (two-sided questions 1 − α) lies inside a region exactly if the p against "the truth lies outside it" is at
// most α. In this order, with Holm's level α′ for support and α/M for all else:
// - supported: the interval lies inside the hypothesised region;
// - refuted: it lies inside the complement;
// - no_relevant_effect: without a margin, and if a person declared `smallest_effect` in the metric's unit or as a
// share,
//   it excludes effects that large in the hypothesised direction (`different`: in both);
// - inconclusive: otherwise.

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

/// The p-values that the rule compares with its levels, from those of a test. By the rule `smallest_effect`, those of a
/// refutation of `different` are doubled, and `beyond` counts for every kind of smallest effect.
PValues by_rule(VerdictRule, const Hypothesis&, PValues);

/// `step` is the level at which the hypothesis was tested (Holm's step, or where Holm stopped); `family` is α/M. The
/// p-values are those of `by_rule`.
Verdict verdict_of(VerdictRule, const PValues&, double step, double family);

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

/// The level of the interval that decided or, if none did, that is shown; `alpha` is the level of the test.
double interval_level(VerdictRule, Direction, Verdict, double alpha);

}  // namespace kernel
