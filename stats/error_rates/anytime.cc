#include "stats/error_rates/anytime.h"

#include <algorithm>
#include <cmath>

#include "stats/basics/distributions.h"

namespace stats {

namespace {

/// The logarithm of the likelihood ratio for "the effect is negative", of this t statistic.
double log_ratio_below(double t, double df) {
  const double n = df + 1, shrink = 1 + n;
  const double both = -std::log(shrink) / 2 + n / 2 * (std::log1p(t * t / df) - std::log1p(t * t / (df * shrink)));
  // The sign of the effect given the data: its posterior is a t distribution with n degrees of freedom.
  const double z = t * n / std::sqrt(shrink) / std::sqrt(df + t * t / shrink);
  return std::log(2) + both + std::log(t_cdf(-z, n));
}

double p_below(double t, double df) {
  if (std::isinf(t)) return t < 0 ? std::exp(-std::log(2) - df / 2 * std::log(df + 2)) : 1;
  return std::min(1.0, std::exp(-log_ratio_below(t, df)));
}

/// The distance in standard errors at which the one-sided p is `level`; infinite if no distance gives so small a p.
double critical(double level, double df) {
  if (p_below(-HUGE_VAL, df) >= level) return HUGE_VAL;
  double low = 0, high = 1;
  while (p_below(-high, df) > level) low = high, high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-14 * high; ++i) {
    const double middle = (low + high) / 2;
    (p_below(-middle, df) > level ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

OneSided anytime_p(const Contrast& c) {
  if (c.standard_error <= 0) return {p_less(c), p_greater(c)};
  const double t = c.estimate / c.standard_error;
  return {p_below(t, c.df), p_below(-t, c.df)};
}

Interval anytime_interval(const Contrast& c, double level) {
  const double reach = c.standard_error > 0 ? c.standard_error * critical((1 - level) / 2, c.df) : 0;
  if (std::isinf(reach)) return {};
  return {c.estimate - reach, c.estimate + reach};
}

double nominal_anytime_level(double level, double df) {
  const double at = critical(level, df);
  return std::isinf(at) ? 0 : t_upper(at, df);
}

}  // namespace stats
