#pragma once
// Summaries of one sample, and of values in groups. Every function returns std::nullopt if the sample has no such
// summary: too few values, a value that is not finite, or a result beyond the range of double. Pure; any thread.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace stats {

/// Size, mean and variance (divisor n − 1) of one sample. `variance` is exactly 0 when the values differ by no more
/// than rounding (a few units in the last place of the largest of them).
struct Moments {
  std::size_t n = 0;
  double mean = 0;
  double variance = 0;
};

/// Needs n ≥ 1.
std::optional<double> mean(std::span<const double>);
/// Needs n ≥ 2. Corrected two-pass algorithm: Chan, Golub, LeVeque, "Algorithms for computing the sample variance",
/// The American Statistician 37 (1983).
std::optional<Moments> moments(std::span<const double>);
/// Standard deviation with divisor n − 1. Needs n ≥ 2.
std::optional<double> standard_deviation(std::span<const double>);
/// The type-7 quantile at 0.5. Needs n ≥ 1.
std::optional<double> median(std::span<const double>);
/// Type 7 of Hyndman & Fan, "Sample quantiles in statistical packages", The American Statistician 50 (1996), which is
/// NumPy's and R's default. Needs n ≥ 1 and 0 ≤ q ≤ 1.
std::optional<double> quantile(std::span<const double>, double q);
/// The same of values that are sorted already, finite and not empty; 0 ≤ q ≤ 1.
double sorted_quantile(std::span<const double> sorted, double q);
/// Adjusted Fisher–Pearson skewness G1: Joanes & Gill, "Comparing measures of sample skewness and kurtosis", The
/// Statistician 47 (1998). Needs n ≥ 3 and some variance.
std::optional<double> skewness(std::span<const double>);

/// The inner values of each outer unit (training runs, splits, blocks). The outer unit was replicated, so it is the
/// unit of every test; inner values only make its mean more precise.
using OuterUnits = std::span<const std::vector<double>>;

struct VarianceComponents {
  double between = 0;                ///< Of the outer units' true means; 0 where the estimate is negative.
  double within = 0;                 ///< Of the values inside a unit.
  std::optional<double> intraclass;  ///< between / (between + within); none where nothing varies.
};

/// One-way random effects by the method of moments for unequal sizes: between = (MSB − MSW)/n₀, n₀ = (N − Σn²/N)/(k −
/// 1). Searle, Casella & McCulloch, "Variance components" (1992), §3.6. None unless there are two units, one of them
/// has two values, and all are finite.
std::optional<VarianceComponents> variance_components(OuterUnits);

}  // namespace stats
