#pragma once
// Corrections over the hypotheses of one batch: Holm's step-down procedure for a family whose size was fixed before the
// data, and Benjamini and Hochberg's false discovery rate, which says nothing of a family beyond the batch. Pure; any
// thread.

#include <span>
#include <vector>

namespace stats {

struct HolmStep {
  bool rejected = false;
  double level = 0;     ///< The level this hypothesis was tested at; where Holm stopped, for all that follow.
  double adjusted = 1;  ///< At most alpha exactly when rejected.
};

/// Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Stat. 6 (1979), at alpha·b/M for a batch
/// of b = p.size() in a family of M ≥ b (Bonferroni between the batches). Answers in the order of `p`; p in [0, 1].
std::vector<HolmStep> holm(std::span<const double> p, double alpha, int family);

/// Adjusted p: the smallest rate q at which Benjamini & Hochberg, "Controlling the false discovery rate", J. R. Stat.
/// Soc. B 57 (1995), reject that hypothesis: min over j ≥ its place i of m·p_(j)/j, at most 1. For independent or
/// positively dependent tests. Answers in the order of `p`; p in [0, 1].
std::vector<double> benjamini_hochberg(std::span<const double> p);

/// The batch as part of `family` slots, the others never rejected, at rate `alpha`. With R rejected, these are shown at
/// the level R·alpha/family (Benjamini & Yekutieli, "False discovery rate–adjusted multiple confidence intervals for
/// selected parameters", J. Am. Stat. Assoc. 100 (2005)), the others at that of the next.
std::vector<HolmStep> benjamini_hochberg_steps(std::span<const double> p, double alpha, int family);

}  // namespace stats
