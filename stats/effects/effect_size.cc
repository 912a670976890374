#include "stats/effects/effect_size.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/toms748_solve.hpp>

#include "stats/basics/distributions.h"

namespace stats {

namespace {

std::optional<EffectSize> effect(double difference, double sd, double df, double unit) {
  const double d = difference / sd;
  if (!(sd > 0) || !std::isfinite(d) || !std::isfinite(d / unit)) return std::nullopt;
  return EffectSize{small_sample_correction(df) * d, d / unit, df, unit};
}

/// The noncentrality at which P(T > t) is `chance`; it rises with the noncentrality.
double noncentrality_at(double t, double df, double chance) {
  const auto excess = [&](double at) {
    return chance < 0.5 ? noncentral_t_upper(t, df, at) - chance : (1 - chance) - noncentral_t_cdf(t, df, at);
  };
  double low = t, high = t, step = 1 + std::abs(t) / std::sqrt(2 * df);
  while (excess(low) > 0) {
    low -= step;
    step *= 2;
  }
  step = 1 + std::abs(t) / std::sqrt(2 * df);
  while (excess(high) < 0) {
    high += step;
    step *= 2;
  }
  if (low == high) return low;
  std::uintmax_t rounds = 200;
  const auto found =
      boost::math::tools::toms748_solve(excess, low, high, boost::math::tools::eps_tolerance<double>(46), rounds);
  return (found.first + found.second) / 2;
}

}  // namespace

double small_sample_correction(double df) {
  return 1 / (boost::math::tgamma_delta_ratio((df - 1) / 2, 0.5) * std::sqrt(df / 2));
}

std::optional<EffectSize> hedges_g_paired(std::span<const double> treatment, std::span<const double> control) {
  const std::optional<Contrast> c = paired_contrast(treatment, control);
  if (!c || c->df < 2) return std::nullopt;
  const double root = std::sqrt(c->df + 1);
  return effect(c->estimate, c->standard_error * root, c->df, 1 / root);
}

std::optional<EffectSize> hedges_g(std::span<const double> treatment, std::span<const double> control) {
  const std::optional<Moments> t = moments(treatment), c = moments(control);
  if (!t || !c) return std::nullopt;
  const double t_n = static_cast<double>(t->n), c_n = static_cast<double>(c->n), df = t_n + c_n - 2;
  const double variance = (t_n - 1) / df * t->variance + (c_n - 1) / df * c->variance;
  return effect(t->mean - c->mean, std::sqrt(variance), df, std::sqrt(1 / t_n + 1 / c_n));
}

Interval interval(const EffectSize& e, double level) {
  const double alpha = (1 - level) / 2;
  return {e.unit * noncentrality_at(e.t, e.df, alpha), e.unit * noncentrality_at(e.t, e.df, 1 - alpha)};
}

}  // namespace stats
