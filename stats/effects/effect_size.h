#pragma once
// Effects in standard deviations, without the bias of small samples. Pure; any thread.

#include <optional>
#include <span>

#include "stats/basics/contrast.h"

namespace stats {

/// A standardised mean difference whose t statistic has `df` degrees of freedom.
struct EffectSize {
  double g = 0;  ///< Hedges' g: the standardised difference times `small_sample_correction(df)`.
  double t = 0;
  double df = 0;
  double unit = 1;  ///< t times this is the difference in (uncorrected) standard deviations.
};

/// J(df) = Γ(df/2) / (√(df/2)·Γ((df − 1)/2)): Hedges, "Distribution theory for Glass's estimator of effect size", J.
/// Educ. Stat. 6 (1981), eq. 6e. df > 1.
double small_sample_correction(double df);

/// Mean difference over the standard deviation of the differences; df = n − 1. None unless n ≥ 3 finite pairs whose
/// differences vary.
std::optional<EffectSize> hedges_g_paired(std::span<const double> treatment, std::span<const double> control);
/// Difference of means over the pooled standard deviation; df = n_t + n_c − 2. It supposes equal variances. None unless
/// both have n ≥ 2 finite values and something varies.
std::optional<EffectSize> hedges_g(std::span<const double> treatment, std::span<const double> control);

/// Two-sided interval of the true effect in standard deviations, by the noncentralities at which the observed t is the
/// upper and the lower (1 − level)/2 point: Steiger & Fouladi, "Noncentrality interval estimation", in "What if there
/// were no significance tests?" (1997). 0 < level < 1. It covers the effect itself, so it takes no correction.
Interval interval(const EffectSize&, double level);

}  // namespace stats
