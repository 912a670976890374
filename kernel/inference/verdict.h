#pragma once
// The rule that turns p-values into a verdict; runs, metrics and methods have no influence here.
// One interval decides, and p-values express the same rule. Its level is 1 − 2α (for `different` 1 − α). It lies inside
// a region exactly if the p against "the truth lies outside it" is at most α.

#include <span>

#include "kernel/domain/records.h"

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
/// hypothesis testing and acceptance sampling", Technometrics 24 (1982)). Any part refutes it, so `inside` and `beyond`
/// are corrected by Bonferroni.
PValues in_every(std::span<const PValues> parts);

/// The level of the two-sided interval that decided: `alpha` is the step for supported and inconclusive, and α/M for
/// refuted.
double deciding_level(Direction, Verdict, double alpha);

}  // namespace kernel
