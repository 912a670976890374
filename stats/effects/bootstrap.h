#pragma once
// The bias-corrected and accelerated bootstrap of a weighted sum of sample means, which covers mean differences
// (paired: one sample of differences; unpaired: one sample per cell) and slopes (one sample per design point). Seeded:
// the same seed gives the same replicates everywhere. Pure; any thread.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stats/basics/contrast.h"

namespace stats {

/// The statistic is Σ weight·mean(values) over the samples; each sample is resampled within itself.
struct WeightedSample {
  std::vector<double> values;
  double weight = 1;
};

/// Replicates and the two constants of the BCa interval.
struct Bootstrap {
  double estimate = 0;
  std::vector<double> replicates;  ///< Sorted.
  double bias = 0;                 ///< ẑ0
  double acceleration = 0;         ///< â
  std::size_t smallest = 0;        ///< Size of the smallest sample.
};

/// Draws `resamples` replicates: for each, sample after sample, value after value, index `Xoshiro::below(n)`.
/// ẑ0 = Φ⁻¹(share of replicates below the estimate, ties counted half): Efron & Tibshirani, "An introduction to the
/// bootstrap" (1993), eq. 14.14. â by the jackknife over all samples: Davison & Hinkley, "Bootstrap methods and their
/// application" (1997), §5.3.2; for one sample Efron & Tibshirani, eq. 14.15.
/// None when a value is not finite, no sample has two different values, or every replicate lies on one side of the
/// estimate (then ẑ0 is infinite).
std::optional<Bootstrap> bootstrap(std::span<const WeightedSample> samples, int resamples, std::uint64_t seed);

/// Efron, "Better bootstrap confidence intervals", J. Am. Stat. Assoc. 82 (1987), with type-7 quantiles of
/// the replicates; 0 < level < 1.
Interval bca_interval(const Bootstrap&, double level);

}  // namespace stats
