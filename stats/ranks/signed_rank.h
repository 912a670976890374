#pragma once
// Wilcoxon's signed-rank test of paired differences, with the Hodges–Lehmann estimate and the interval that inverts the
// test; asked like a Contrast. It supposes differences that are symmetric about their centre. Pure; any thread.

#include <optional>
#include <span>
#include <vector>

#include "stats/basics/contrast.h"
#include "stats/basics/one_sided.h"

namespace stats {

/// The most differences whose null distribution is counted out; beyond it is taken as normal.
constexpr std::size_t signed_rank_exact = 50;

struct SignedRank {
  std::vector<double> differences;  ///< t − ratio·c − shift.
  double tie = 0;                   ///< What rounding may have left of equal numbers.
  double estimate = 0;              ///< Median of the Walsh averages: Hodges & Lehmann, Ann. Math. Stat. 34 (1963).
};

/// None unless n ≥ 1 pairs of finite numbers with finite differences. Takes n²/2 numbers of memory.
std::optional<SignedRank> signed_rank(std::span<const double> treatment, std::span<const double> control,
                                      double ratio = 1, double shift = 0);

/// p against a centre at 0. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945), given
/// the midranks of the |differences|. Zeros are ranked, then left out: Pratt, "Remarks on zeros and ties in the
/// Wilcoxon signed rank procedures", J. Am. Stat. Assoc. 54 (1959); so p never moves against the shift, and the
/// interval inverts the test. Exact up to `signed_rank_exact` differences, else normal with the variance given the
/// midranks and a continuity correction of ½. Differences may be infinite, not NaN; without a nonzero one both are 1.
OneSided signed_rank_p(std::span<const double> differences, double tie = 0);

/// p of "the centre is ≥ `at`" against "< `at`", and the other sides.
double p_less(const SignedRank&, double at = 0);
double p_greater(const SignedRank&, double at = 0);
double p_two_sided(const SignedRank&, double at = 0);
/// The centres that the two-sided test at 1 − level does not reject, closed: 0 < level < 1. Its ends are Walsh
/// averages; one that no sample of this size could bound is missing.
Interval interval(const SignedRank&, double level);

/// The smallest one-sided p of n differences without zeros: 2⁻ⁿ up to `signed_rank_exact`.
double smallest_signed_rank_p(std::size_t n);

}  // namespace stats
