#pragma once
// The false discovery rate within one batch; says nothing of a family beyond it. Pure; any thread.

#include <span>
#include <vector>

#include "stats/error_rates/holm.h"

namespace stats {

/// Adjusted p: the smallest rate q at which Benjamini & Hochberg, "Controlling the false discovery rate", J. R. Stat.
/// Soc. B 57 (1995), reject that hypothesis: min over j ≥ its place i of m·p_(j)/j, at most 1. For independent or
/// positively dependent tests. Answers in the order of `p`; p in [0, 1].
std::vector<double> benjamini_hochberg(std::span<const double> p);

/// The batch as part of `family` slots, the others never rejected, at rate `alpha`. With R rejected, these are shown at
/// the level R·alpha/family (Benjamini & Yekutieli, "False discovery rate–adjusted multiple confidence intervals for
/// selected parameters", J. Am. Stat. Assoc. 100 (2005)), the others at that of the next.
std::vector<HolmStep> benjamini_hochberg_steps(std::span<const double> p, double alpha, int family);

}  // namespace stats
