#pragma once
// Whether values drift in the order in which they were taken: runs about the median, and the rank correlation with the
// order. Pure; any thread.

#include <cstddef>
#include <optional>
#include <span>

#include "stats/basics/one_sided.h"

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

}  // namespace stats
