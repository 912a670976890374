#include "stats/basics/descriptive.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.h"

namespace stats {

namespace {

bool finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

double largest(std::span<const double> values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

/// Each unit's mean, whatever its size. None where there is no unit or one has no mean.
std::optional<std::vector<double>> outer_means(OuterUnits units) {
  if (units.empty()) return std::nullopt;
  std::vector<double> means;
  for (const std::vector<double>& unit : units) {
    const std::optional<double> own = mean(unit);
    if (!own) return std::nullopt;
    means.push_back(*own);
  }
  return means;
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
  std::ranges::sort(sorted);
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

std::optional<VarianceComponents> variance_components(OuterUnits units) {
  const auto means = outer_means(units);
  if (!means || units.size() < 2) return std::nullopt;
  std::vector<double> all;
  double inside = 0, squared_sizes = 0;
  for (const std::vector<double>& unit : units) {
    const double size = static_cast<double>(unit.size());
    squared_sizes += size * size;
    all.insert(all.end(), unit.begin(), unit.end());
    if (unit.size() < 2) continue;
    const std::optional<Moments> own = moments(unit);
    if (!own) return std::nullopt;
    inside += (size - 1) * own->variance;
  }
  const std::optional<Moments> whole = moments(all);
  const double n = static_cast<double>(all.size()), k = static_cast<double>(units.size());
  if (!whole || n == k) return std::nullopt;
  double outside = 0;
  for (std::size_t i = 0; i < units.size(); ++i)
    outside += static_cast<double>(units[i].size()) * std::pow((*means)[i] - whole->mean, 2);
  VarianceComponents result;
  result.within = inside / (n - k);
  const double typical = (n - squared_sizes / n) / (k - 1);
  if (whole->variance > 0) result.between = std::max(0.0, (outside / (k - 1) - result.within) / typical);
  const double sum = result.between + result.within;
  if (!std::isfinite(sum)) return std::nullopt;
  if (sum > 0) result.intraclass = result.between / sum;
  return result;
}

}  // namespace stats
