#include "stats/basics/descriptive.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/assert.h"

namespace stats {

namespace {

bool finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

double largest(std::span<const double> values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

}  // namespace

std::optional<double> mean(std::span<const double> values) {
  if (values.empty() || !finite(values)) return std::nullopt;
  const double n = static_cast<double>(values.size());
  double sum = 0;
  for (const double v : values) sum += v;
  const double rough = sum / n;
  double rest = 0;  // A second pass, so that equal values have exactly their value as mean.
  for (const double v : values) rest += v - rough;
  const double result = rough + rest / n;
  if (!std::isfinite(result)) return std::nullopt;
  return result;
}

std::optional<Moments> moments(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const std::optional<double> centre = mean(values);
  if (!centre) return std::nullopt;
  const double n = static_cast<double>(values.size());
  double squares = 0, rest = 0;
  for (const double v : values) {
    const double d = v - *centre;
    squares += d * d;
    rest += d;
  }
  double variance = std::max(0.0, (squares - rest * rest / n) / (n - 1));
  if (!std::isfinite(variance)) return std::nullopt;
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * largest(values);
  if (std::sqrt(variance) <= rounding) variance = 0;
  return Moments{values.size(), *centre, variance};
}

std::optional<double> standard_deviation(std::span<const double> values) {
  const std::optional<Moments> m = moments(values);
  if (!m) return std::nullopt;
  return std::sqrt(m->variance);
}

std::optional<double> median(std::span<const double> values) {
  return quantile(values, 0.5);
}

std::optional<double> quantile(std::span<const double> values, double q) {
  if (values.empty() || !finite(values) || !(q >= 0 && q <= 1)) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted_quantile(sorted, q);
}

double sorted_quantile(std::span<const double> sorted, double q) {
  ETUDE_ASSERT(!sorted.empty() && q >= 0 && q <= 1);
  const double place = q * static_cast<double>(sorted.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(place), sorted.size() - 1);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] * (1 - part) + sorted[above] * part;  // No difference of extremes: it could overflow.
}

std::optional<double> skewness(std::span<const double> values) {
  const std::optional<Moments> m = moments(values);
  if (!m || m->n < 3 || m->variance <= 0) return std::nullopt;
  const double n = static_cast<double>(m->n), sd = std::sqrt(m->variance);
  double cubes = 0;
  for (const double v : values) cubes += std::pow((v - m->mean) / sd, 3);
  const double result = cubes * n / ((n - 1) * (n - 2));
  if (!std::isfinite(result)) return std::nullopt;
  return result;
}

}  // namespace stats
