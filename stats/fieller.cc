#include "stats/fieller.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <boost/math/tools/toms748_solve.hpp>

#include "stats/distributions.h"

namespace stats {

namespace {

struct ArmMean {
  double mean = 0;
  double variance = 0;  ///< Of the mean.
};

ArmMean arm_mean(std::span<const Moments> cells) {
  ArmMean arm;
  const double weight = 1 / static_cast<double>(cells.size());
  for (const Moments& cell : cells) {
    arm.mean += weight * cell.mean;
    arm.variance += weight * weight * cell.variance / static_cast<double>(cell.n);
  }
  return arm;
}

}  // namespace

Interval fieller(double t, double c, double v_tt, double v_tc, double v_cc, double critical) {
  if (!std::isfinite(critical)) return {};
  // a·r² − 2b·r + d ≤ 0
  const double q = critical * critical;
  const double a = c * c - q * v_cc, b = t * c - q * v_tc, d = t * t - q * v_tt;
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(d)) return {};
  if (a < 0) return {};
  if (a == 0) {
    if (b > 0) return {d / (2 * b), std::nullopt};
    if (b < 0) return {std::nullopt, d / (2 * b)};
    return {};
  }
  const double root = std::sqrt(std::max(0.0, b * b - a * d));
  // The root that does not cancel first, the other by Vieta.
  const double far = b >= 0 ? b + root : b - root;
  if (far == 0) return {0.0, 0.0};
  const double one = far / a, other = d / far;
  if (!std::isfinite(one) || !std::isfinite(other)) return {};
  return {std::min(one, other), std::max(one, other)};
}

std::optional<Interval> fieller_paired(std::span<const double> treatment, std::span<const double> control,
                                       double level) {
  if (treatment.size() != control.size()) return std::nullopt;
  const std::optional<Moments> t = moments(treatment), c = moments(control);
  if (!t || !c) return std::nullopt;
  const double n = static_cast<double>(t->n);
  double product = 0;
  for (std::size_t i = 0; i < treatment.size(); ++i) product += (treatment[i] - t->mean) * (control[i] - c->mean);
  const double covariance = product / (n - 1);
  return fieller(t->mean, c->mean, t->variance / n, covariance / n, c->variance / n,
                 t_quantile(0.5 + level / 2, n - 1));
}

std::optional<Interval> fieller_independent(std::span<const Moments> treatment, std::span<const Moments> control,
                                            double level) {
  if (!independent_contrast(treatment, control)) return std::nullopt;
  const ArmMean t = arm_mean(treatment), c = arm_mean(control);
  const auto critical = [&](double df) { return t_quantile(0.5 + level / 2, df); };
  // As the ratio grows the contrast becomes the control's own t: unless that rejects zero, no ratio is too large.
  const std::optional<Contrast> own = independent_contrast(control, control, 0);
  if (c.mean == 0 || std::abs(c.mean) <= critical(own->df) * own->standard_error) return Interval{};
  const double centre = t.mean / c.mean;
  if (!std::isfinite(centre)) return Interval{};
  const auto outside = [&](double ratio) {
    const std::optional<Contrast> at = independent_contrast(treatment, control, ratio);
    if (!at) return -1.0;
    return std::abs(at->estimate) - critical(at->df) * at->standard_error;
  };
  const std::optional<Contrast> here = independent_contrast(treatment, control, centre);
  if (!here) return Interval{};
  const double first = critical(here->df) * here->standard_error / std::abs(c.mean);
  if (first == 0) return Interval{centre, centre};
  const auto end = [&](double sign) -> std::optional<double> {
    double inner = centre, step = first / 2;
    double outer = centre + sign * step;
    while (outside(outer) <= 0) {
      inner = outer;
      step *= 2;
      outer = centre + sign * step;
      if (!std::isfinite(outer)) return std::nullopt;
    }
    std::uintmax_t rounds = 200;
    const auto close = boost::math::tools::eps_tolerance<double>(52);
    const double low = std::min(inner, outer), high = std::max(inner, outer);
    const auto found = boost::math::tools::toms748_solve(outside, low, high, close, rounds);
    return (found.first + found.second) / 2;
  };
  return Interval{end(-1), end(1)};
}

}  // namespace stats
