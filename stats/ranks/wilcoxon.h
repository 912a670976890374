#pragma once
// Wilcoxon's two tests, with the Hodges–Lehmann estimate and the interval that inverts the test; asked like a Contrast.
// Signed ranks of paired differences suppose that these are symmetric about their centre; the Wilcoxon–Mann–Whitney
// test of two independent samples supposes two distributions that differ by a shift only. The same tests give the
// factor between two arms, and p-values in which failed runs count at one end of the ranking. Pure; any thread.

#include <optional>
#include <span>
#include <vector>

#include "stats/basics/contrast.h"

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
OneSided p_at(const SignedRank&, double at = 0);
/// The centres that the two-sided test at 1 − level does not reject, closed: 0 < level < 1. Its ends are Walsh
/// averages; one that no sample of this size could bound is missing.
Interval interval(const SignedRank&, double level);

/// The smallest one-sided p of n differences without zeros: 2⁻ⁿ up to `signed_rank_exact`.
double smallest_signed_rank_p(std::size_t n);

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
OneSided p_at(const MannWhitney&, double at = 0);
/// The shifts that the two-sided test at 1 − level does not reject, closed: 0 < level < 1. Its ends are differences of
/// two values; one that no samples of these sizes could bound is missing.
Interval interval(const MannWhitney&, double level);

/// The smallest one-sided p of samples of these sizes without ties: n_t!·n_c!/(n_t + n_c)! where it is exact.
double smallest_mann_whitney_p(std::size_t treatment, std::size_t control);

struct RankRatio {
  double estimate = 0;
  Interval interval;
};

/// For pairs: the estimate is the median of the (t_i + t_j)/(c_i + c_j), i ≤ j, at which Walsh averages of t − ρ·c
/// change sign (Hodges & Lehmann's estimate on the ratio's scale). The interval has the ratios that `signed_rank_p`
/// does not reject at 1 − level, closed; with ties its ends may be off by one value. None unless n ≥ 1 pairs with c >
/// 0.
std::optional<RankRatio> signed_rank_ratio(std::span<const double> treatment, std::span<const double> control,
                                           double level);
/// Of independent samples: median of the t_i/c_j, and the ratios that `mann_whitney_p` does not reject. None unless
/// both have a value and c > 0.
std::optional<RankRatio> mann_whitney_ratio(std::span<const double> treatment, std::span<const double> control,
                                            double level);

/// Where missing values rank: tied with each other, beyond every value.
enum class FailedRank { lowest, highest };

/// Where the failed runs of each arm rank. They can be bad outcomes in both arms (`highest` for a metric that is to be
/// small). In the strictest form they speak against the hypothesis in both ("the treatment is less": treatment
/// `highest`, control `lowest`). Lachin, "Worst-rank score analysis with informatively missing observations in clinical
/// trials", Control. Clin. Trials 20 (1999).
struct FailedRanks {
  FailedRank treatment = FailedRank::highest, control = FailedRank::highest;
};

/// `mann_whitney_p` of t − shift and ratio·c, missing values being failed runs. None where an arm has no runs or a
/// value is not finite.
std::optional<OneSided> worst_rank_independent(std::span<const std::optional<double>> treatment,
                                               std::span<const std::optional<double>> control, const FailedRanks&,
                                               double ratio = 1, double shift = 0);
/// `signed_rank_p` of t − ratio·c − shift. A pair of which one failed has a difference beyond all others; one of which
/// both failed at the same end has none (0). None unless n ≥ 1 pairs, or where a value is not finite.
std::optional<OneSided> worst_rank_paired(std::span<const std::optional<double>> treatment,
                                          std::span<const std::optional<double>> control, const FailedRanks&,
                                          double ratio = 1, double shift = 0);

}  // namespace stats
