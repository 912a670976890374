#include "stats/effects/regression.h"

#include <cmath>
#include <limits>

namespace stats {

namespace {

struct Line {
  double mean_x = 0, mean_y = 0, slope = 0, sxx = 0;
};

std::optional<Line> fit(std::span<const Point> points) {
  std::vector<double> xs, ys;
  xs.reserve(points.size());
  ys.reserve(points.size());
  for (const Point& p : points) {
    xs.push_back(p.x);
    ys.push_back(p.y);
  }
  const std::optional<Moments> x = moments(xs);
  const std::optional<double> y = mean(ys);
  if (!x || !y || x->variance == 0) return std::nullopt;
  Line line{x->mean, *y, 0, 0};
  double sxy = 0;
  for (const Point& p : points) {
    line.sxx += (p.x - line.mean_x) * (p.x - line.mean_x);
    sxy += (p.x - line.mean_x) * (p.y - line.mean_y);
  }
  line.slope = sxy / line.sxx;
  if (!std::isfinite(line.slope) || !(line.sxx > 0)) return std::nullopt;
  return line;
}

}  // namespace

std::optional<SlopeFit> mean_slope(std::span<const std::vector<Point>> strata) {
  if (strata.empty()) return std::nullopt;
  SlopeFit result;
  double squares = 0, inverse = 0, sum = 0, points = 0, scale = 0;
  for (const std::vector<Point>& stratum : strata) {
    const std::optional<Line> line = fit(stratum);
    if (!line) return std::nullopt;
    for (const Point& p : stratum) {
      const double residual = p.y - line->mean_y - line->slope * (p.x - line->mean_x);
      squares += residual * residual;
      scale = std::max(scale, std::abs(p.y));
    }
    result.per_stratum.push_back(line->slope);
    sum += line->slope;
    inverse += 1 / line->sxx;
    points += static_cast<double>(stratum.size());
  }
  const double count = static_cast<double>(strata.size());
  const double df = points - 2 * count;
  if (df < 1) return std::nullopt;
  result.residual_variance = squares / df;
  // Residuals of a perfect line are rounding of y and of the fitted value.
  if (std::sqrt(result.residual_variance) <= 16 * std::numeric_limits<double>::epsilon() * scale)
    result.residual_variance = 0;
  result.slope = {sum / count, std::sqrt(result.residual_variance * inverse) / count, df};
  if (!std::isfinite(result.slope.estimate) || !std::isfinite(result.slope.standard_error)) return std::nullopt;
  return result;
}

std::optional<double> least_squares_slope(std::span<const Point> points) {
  const std::optional<Line> line = fit(points);
  if (!line) return std::nullopt;
  return line->slope;
}

}  // namespace stats
