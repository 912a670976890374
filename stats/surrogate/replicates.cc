#include "stats/surrogate/replicates.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/assert.h"

namespace stats {

namespace {

double density(double z) {
  return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}

double below(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

/// E[min over i of (means[i] + slopes[i]·Z)], Z standard normal.
double expected_minimum(const std::vector<double>& means, const std::vector<double>& slopes) {
  constexpr double far = 1e3;
  std::vector<double> ends = {-far, far};
  for (std::size_t i = 0; i < means.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (slopes[i] != slopes[j]) {
        const double crossing = (means[j] - means[i]) / (slopes[i] - slopes[j]);
        if (std::abs(crossing) < far) ends.push_back(crossing);
      }
  std::ranges::sort(ends);
  double sum = 0;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    const double low = ends[k], high = ends[k + 1], middle = low + (high - low) / 2;
    std::size_t lowest = 0;
    for (std::size_t i = 1; i < means.size(); ++i)
      if (means[i] + slopes[i] * middle < means[lowest] + slopes[lowest] * middle) lowest = i;
    sum += means[lowest] * (below(high) - below(low)) + slopes[lowest] * (density(low) - density(high));
  }
  return sum;
}

}  // namespace

std::vector<double> knowledge_gradients(const JointBelief& belief, const std::vector<double>& noise_variances) {
  const std::size_t n = belief.means.size();
  ETUDE_ASSERT(belief.covariance.size() == n * n && noise_variances.size() == n);
  std::vector<double> gains(n), slopes(n), above(n);
  if (n == 0) return gains;
  const double lowest = *std::ranges::min_element(belief.means);
  for (std::size_t j = 0; j < n; ++j) above[j] = belief.means[j] - lowest;
  for (std::size_t i = 0; i < n; ++i) {
    const double* row = belief.covariance.data() + i * n;
    ETUDE_ASSERT(noise_variances[i] > 0);
    for (std::size_t j = 0; j < n; ++j) slopes[j] = row[j] / std::sqrt(row[i] + noise_variances[i]);
    gains[i] = std::max(0.0, -expected_minimum(above, slopes));
  }
  return gains;
}

}  // namespace stats
