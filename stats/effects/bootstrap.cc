#include "stats/effects/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/basics/distributions.h"
#include "stats/basics/random.h"

namespace stats {

namespace {

double plain_mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Deleting value i of a sample of n moves the statistic by weight·(mean − value)/(n − 1); the influence is −(n − 1)
/// times that.
double jackknife_acceleration(std::span<const WeightedSample> samples) {
  double cubes = 0, squares = 0;
  for (const WeightedSample& sample : samples) {
    const double n = static_cast<double>(sample.values.size()), centre = plain_mean(sample.values);
    if (n < 2) continue;
    for (const double v : sample.values) {
      const double influence = sample.weight * (v - centre) / n;
      squares += influence * influence;
      cubes += influence * influence * influence;
    }
  }
  const double result = squares > 0 ? cubes / (6 * squares * std::sqrt(squares)) : 0;
  return std::isfinite(result) ? result : 0;
}

}  // namespace

std::optional<Bootstrap> bootstrap(std::span<const WeightedSample> samples, int resamples, std::uint64_t seed) {
  if (samples.empty() || resamples < 1) return std::nullopt;
  Bootstrap result;
  result.smallest = samples.front().values.size();
  bool varies = false;
  double size = 0;
  for (const WeightedSample& sample : samples) {
    const std::optional<double> centre = mean(sample.values);
    if (!centre || !std::isfinite(sample.weight)) return std::nullopt;
    result.estimate += sample.weight * plain_mean(sample.values);
    result.smallest = std::min(result.smallest, sample.values.size());
    size = std::max(size, std::abs(sample.weight * *centre));
    varies = varies || (sample.values.size() > 1 && moments(sample.values)->variance > 0);
  }
  if (!varies || !std::isfinite(result.estimate)) return std::nullopt;

  Xoshiro random(seed);
  result.replicates.resize(static_cast<std::size_t>(resamples));
  for (double& replicate : result.replicates) {
    for (const WeightedSample& sample : samples) {
      const auto n = static_cast<std::uint32_t>(sample.values.size());
      double sum = 0;
      for (std::uint32_t i = 0; i < n; ++i) sum += sample.values[random.below(n)];
      replicate += sample.weight * (sum / n);
    }
  }
  // A resample that holds the sample's own values gives the estimate up to the order of summation: a tie.
  const double tie = 1e-12 * std::max(size, std::abs(result.estimate));
  double below = 0;
  for (const double replicate : result.replicates) {
    if (std::abs(replicate - result.estimate) <= tie) {
      below += 0.5;
    } else if (replicate < result.estimate) {
      below += 1;
    }
  }
  const double share = below / resamples;
  if (share <= 0 || share >= 1) return std::nullopt;
  result.bias = normal_quantile(share);
  result.acceleration = jackknife_acceleration(samples);
  std::ranges::sort(result.replicates);
  return result;
}

Interval bca_interval(const Bootstrap& b, double level) {
  if (level >= 1) return {};
  const auto adjusted = [&](double alpha) {
    const double z = b.bias + normal_quantile(alpha);
    const double stretched = 1 - b.acceleration * z;
    // Beyond the pole of the acceleration every replicate is on the inner side.
    if (stretched <= 0) return z < 0 ? 0.0 : 1.0;
    return normal_cdf(b.bias + z / stretched);
  };
  return {sorted_quantile(b.replicates, adjusted((1 - level) / 2)),
          sorted_quantile(b.replicates, adjusted((1 + level) / 2))};
}

}  // namespace stats
