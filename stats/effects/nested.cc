#include "stats/effects/nested.h"

#include <algorithm>
#include <cmath>

#include "stats/basics/descriptive.h"

namespace stats {

namespace {

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
