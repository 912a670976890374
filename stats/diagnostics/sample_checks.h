#pragma once
// Checks of one sample of values: whether they drift in the order in which they were taken (runs about the median, and
// the rank correlation with the order), and how far each lies from the median, by a measure that outliers hardly move.
// They label values and decide nothing. Pure; any thread.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/basics/contrast.h"

namespace stats {

struct RunsTest {
  std::size_t runs = 0, below = 0, above = 0;
  OneSided p;  ///< `less`: too few runs, as drift makes them; `greater`: too many, as alternation does.
};

/// Wald & Wolfowitz, "On a test whether two samples are from the same population", Ann. Math. Stat. 11 (1940), of the
/// values above and below the median in their order; those at the median are left out. Exact up to 200 values, else
/// normal with a continuity correction of ½. None where no value lies below or none above the median, or one is not
/// finite.
std::optional<RunsTest> runs_test(std::span<const double> in_order);

struct OrderCorrelation {
  double tau = 0;  ///< Kendall's τ_b, −1 to 1.
  OneSided p;      ///< `greater`: the values rise with the order.
};

/// Kendall, "Rank correlation methods", 4th ed. (1970), ch. 4 and 5: sensitive to a steady trend where the runs test is
/// to any slow change. Exact up to 50 values without ties (a step adds an even chance of 0 … i − 1 inversions), else
/// normal with the variance given the ties and no correction. None unless n ≥ 2 finite values that are not all equal.
std::optional<OrderCorrelation> order_correlation(std::span<const double> in_order);

/// Beyond this a value is labelled an outlier: Iglewicz & Hoaglin, "How to detect and handle outliers" (1993), §3.3.
inline constexpr double far_out = 3.5;

/// Modified z-scores, in the order of the values: 0.6745 (x − median)/MAD, MAD being the median absolute deviation from
/// the median; where that is 0, (x − median)/(1.253314 MeanAD) with the mean absolute deviation (ibid.). None where
/// nothing varies, without values, and where one is not finite.
std::optional<std::vector<double>> modified_z_scores(std::span<const double>);

}  // namespace stats
