#include "stats/basics/contrast.h"

#include <cmath>
#include <limits>
#include <vector>

#include <boost/math/special_functions/gamma.hpp>

#include "stats/basics/distributions.h"

namespace stats {

namespace {

constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();

/// `scale`: the size of the numbers that `c` is a difference of.
std::optional<Contrast> checked(Contrast c, double scale) {
  // Without variance the estimate is compared exactly, so rounding of equal numbers must not count as a difference.
  if (c.standard_error == 0 && std::abs(c.estimate) <= rounding * scale) c.estimate = 0;
  if (!std::isfinite(c.estimate) || !std::isfinite(c.standard_error) || !(c.df > 0)) return std::nullopt;
  return c;
}

/// The statistic; infinite without variance.
double ratio_to_error(const Contrast& c) {
  if (c.standard_error > 0) return c.estimate / c.standard_error;
  if (c.estimate == 0) return 0;
  return c.estimate > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

bool nothing(const Contrast& c) {
  return c.standard_error == 0 && c.estimate == 0;
}

struct Arm {
  double mean = 0;
  double variance = 0;  ///< Of the mean.
  double scale = 0;     ///< The largest absolute mean of the cells.
  double free = 0;
};

std::optional<Arm> average(std::span<const Moments> cells) {
  if (cells.empty()) return std::nullopt;
  const double weight = 1 / static_cast<double>(cells.size());
  Arm arm;
  for (const Moments& cell : cells) {
    if (cell.n < 2) return std::nullopt;
    arm.mean += weight * cell.mean;
    arm.variance += weight * weight * cell.variance / static_cast<double>(cell.n);
    arm.scale = std::max(arm.scale, std::abs(cell.mean));
    arm.free += static_cast<double>(cell.n - 1);
  }
  return arm;
}

/// Σ (share of the variance)² / df over one arm's cells: shares, so that tiny and huge units do not over- or underflow.
double squared_shares(std::span<const Moments> cells, double factor, double variance) {
  const double weight = factor / static_cast<double>(cells.size());
  double sum = 0;
  for (const Moments& cell : cells) {
    const double share = weight * weight * cell.variance / static_cast<double>(cell.n) / variance;
    sum += share * share / static_cast<double>(cell.n - 1);
  }
  return sum;
}

}  // namespace

std::optional<Contrast> paired_contrast(std::span<const double> treatment, std::span<const double> control,
                                        double ratio, double shift) {
  if (treatment.size() != control.size()) return std::nullopt;
  std::vector<double> differences(treatment.size());
  double scale = std::abs(shift);
  for (std::size_t i = 0; i < treatment.size(); ++i) {
    differences[i] = treatment[i] - ratio * control[i];
    scale = std::max({scale, std::abs(treatment[i]), std::abs(ratio * control[i])});
  }
  const std::optional<Moments> m = moments(differences);
  if (!m) return std::nullopt;
  double sd = std::sqrt(m->variance);
  if (sd <= rounding * scale) sd = 0;
  const double n = static_cast<double>(m->n);
  return checked({m->mean - shift, sd / std::sqrt(n), n - 1}, scale);
}

std::optional<Contrast> independent_contrast(std::span<const Moments> treatment, std::span<const Moments> control,
                                             double ratio, double shift) {
  const std::optional<Arm> t = average(treatment), c = average(control);
  if (!t || !c) return std::nullopt;
  const double variance = t->variance + ratio * ratio * c->variance;
  double df = t->free + c->free;
  if (variance > 0) df = 1 / (squared_shares(treatment, 1, variance) + squared_shares(control, ratio, variance));
  const double scale = std::max({t->scale, std::abs(ratio) * c->scale, std::abs(shift)});
  return checked({t->mean - ratio * c->mean - shift, std::sqrt(variance), df}, scale);
}

double p_less(const Contrast& c) {
  return nothing(c) ? 1 : t_cdf(ratio_to_error(c), c.df);
}

double p_greater(const Contrast& c) {
  return nothing(c) ? 1 : t_upper(ratio_to_error(c), c.df);
}

double p_two_sided(const Contrast& c) {
  return nothing(c) ? 1 : std::min(1.0, 2 * t_upper(std::abs(ratio_to_error(c)), c.df));
}

double p_not_below(const Contrast& c, double by) {
  return nothing(c) ? 1 : noncentral_t_upper(ratio_to_error(c), c.df, -by);
}

double p_not_above(const Contrast& c, double by) {
  return nothing(c) ? 1 : noncentral_t_cdf(ratio_to_error(c), c.df, by);
}

double hedges_factor(double df) {
  if (df <= 1) return 0;
  return std::exp(boost::math::lgamma(df / 2) - boost::math::lgamma((df - 1) / 2)) / std::sqrt(df / 2);
}

Interval interval(const Contrast& c, double level) {
  const double reach = c.standard_error * t_quantile(0.5 + level / 2, c.df);
  return {c.estimate - reach, c.estimate + reach};
}

}  // namespace stats
