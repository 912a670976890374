#pragma once
// The Wilcoxon–Mann–Whitney test of two independent samples, with the Hodges–Lehmann estimate of their shift and the
// interval that inverts the test; asked like a Contrast. It supposes two distributions that differ by a shift only.
// Pure; any thread.

#include <optional>
#include <span>
#include <vector>

#include "stats/basics/contrast.h"
#include "stats/basics/one_sided.h"

namespace stats {

/// The largest n_t·n_c whose null distribution is counted out; beyond it is taken as normal.
constexpr std::size_t mann_whitney_exact = 900;

struct MannWhitney {
  std::vector<double> treatment, control;  ///< t − shift, and ratio·c.
  double tie = 0;                          ///< What rounding may have left of equal numbers.
  double estimate = 0;  ///< Median of the differences of all pairs: Hodges & Lehmann, Ann. Math. Stat. 34 (1963).
};

/// None unless both have n ≥ 1 finite values. Takes n_t·n_c numbers of memory.
std::optional<MannWhitney> mann_whitney(std::span<const double> treatment, std::span<const double> control,
                                        double ratio = 1, double shift = 0);

/// p against equal distributions. Mann & Whitney, "On a test of whether one of two random variables is stochastically
/// larger than the other", Ann. Math. Stat. 18 (1947), given the midranks of all values: exact up to
/// `mann_whitney_exact`, else normal with the variance given the midranks (Lehmann, "Nonparametrics", 1975, §1.4) and a
/// continuity correction of ½. Values may be infinite, not NaN; both are 1 where a sample is empty or all values tie.
OneSided mann_whitney_p(std::span<const double> treatment, std::span<const double> control, double tie = 0);

/// p of "the shift is ≥ `at`" against "< `at`", and the other sides.
double p_less(const MannWhitney&, double at = 0);
double p_greater(const MannWhitney&, double at = 0);
double p_two_sided(const MannWhitney&, double at = 0);
/// The shifts that the two-sided test at 1 − level does not reject, closed: 0 < level < 1. Its ends are differences of
/// two values; one that no samples of these sizes could bound is missing.
Interval interval(const MannWhitney&, double level);

/// The smallest one-sided p of samples of these sizes without ties: n_t!·n_c!/(n_t + n_c)! where it is exact.
double smallest_mann_whitney_p(std::size_t treatment, std::size_t control);

}  // namespace stats
