#pragma once
// Straight lines through strata of points, the point (a run) being the unit. Pure; any thread.

#include <optional>
#include <span>
#include <vector>

#include "stats/basics/contrast.h"

namespace stats {

struct Point {
  double x = 0, y = 0;
};

struct SlopeFit {
  Contrast slope;                   ///< Mean of the strata's slopes, against 0; df = N − 2·(number of strata).
  double residual_variance = 0;     ///< Pooled over the strata; 0 when the points lie on their lines.
  std::vector<double> per_stratum;  ///< In the order given.
};

/// Least squares in each stratum with an intercept and a slope of its own and one residual variance, then the equally
/// weighted mean of the slopes: Draper & Smith, "Applied regression analysis", 3rd ed. (1998), ch. 1 for one line, with
/// dummy variables for several. None unless every stratum has two different x, all numbers are finite and N > 2·(number
/// of strata).
std::optional<SlopeFit> mean_slope(std::span<const std::vector<Point>> strata);

/// The slope alone; needs no degree of freedom for the residual.
std::optional<double> least_squares_slope(std::span<const Point>);

}  // namespace stats
