#pragma once
// The rule that turns p-values into a verdict, and nothing else. It knows neither runs nor metrics nor methods.
//
// One interval decides; here it is read through its p-values, which is the same thing: the interval at level 1 − 2α
// (for `different` 1 − α) lies inside a region exactly when the p against "the truth lies outside it" is at most α.

#include <span>

#include "kernel/domain/records.h"

namespace kernel {

/// What the data say against three statements about the truth. 1: nothing.
struct PValues {
  double outside = 1;  ///< "It lies outside the hypothesised region": the contract's `p`.
  double inside = 1;   ///< "It lies inside the hypothesised region."
  double beyond = 1;   ///< "It goes at least `smallest_effect` beyond the margin" (less, greater and different only).
};

/// `step`: the level the hypothesis was tested at (Holm's step, or where Holm stopped); `family`: α/M.
Verdict verdict_of(const PValues&, double step, double family);

/// A hypothesis that holds only if it holds in every one of `parts` (intersection–union: Berger, "Multiparameter
/// hypothesis testing and acceptance sampling", Technometrics 24 (1982)). It is refuted by any part, so those two are
/// corrected by Bonferroni.
PValues in_every(std::span<const PValues> parts);

/// The level of the two-sided interval that decided: `alpha` is the step for supported and inconclusive, α/M for
/// refuted.
double deciding_level(Direction, Verdict, double alpha);

}  // namespace kernel
