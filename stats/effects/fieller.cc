#include "stats/effects/fieller.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <boost/math/tools/toms748_solve.hpp>

#include "stats/basics/distributions.h"

namespace stats {

namespace {

/// With equal weights.
double mean_of_cells(std::span<const Moments> cells) {
  const double weight = 1 / static_cast<double>(cells.size());
  double sum = 0;
  for (const Moments& cell : cells) sum += weight * cell.mean;
  return sum;
}

}  // namespace

Interval fieller(double t, double c, double v_tt, double v_tc, double v_cc, double critical) {
  // In units in which squares neither overflow nor vanish.
  const double t_unit = std::max(std::abs(t), std::sqrt(v_tt)), c_unit = std::max(std::abs(c), std::sqrt(v_cc));
  const double unit = t_unit / c_unit;
  if (!std::isfinite(critical) || !std::isfinite(t_unit) || !(c_unit > 0) || !std::isfinite(unit)) return {};
  if (t_unit == 0) return c == 0 || std::abs(c) <= critical * std::sqrt(v_cc) ? Interval{} : Interval{0.0, 0.0};
  const double tt = t / t_unit, cc = c / c_unit, q = critical * critical;
  // a·r² − 2b·r + d ≤ 0
  const double a = cc * cc - q * (v_cc / c_unit / c_unit);
  const double b = tt * cc - q * (v_tc / t_unit / c_unit);
  const double d = tt * tt - q * (v_tt / t_unit / t_unit);
  const auto end = [&](double ratio) {
    return std::isfinite(ratio * unit) ? std::optional(ratio * unit) : std::nullopt;
  };
  if (a < 0 || (a == 0 && b == 0)) return {};
  if (a == 0) return b > 0 ? Interval{end(d / (2 * b)), std::nullopt} : Interval{std::nullopt, end(d / (2 * b))};
  const double root = std::sqrt(std::max(0.0, b * b - a * d));
  // The root that does not cancel first, the other by Vieta.
  const double far = b >= 0 ? b + root : b - root;
  if (far == 0) return {0.0, 0.0};
  return {end(std::min(far / a, d / far)), end(std::max(far / a, d / far))};
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
  const double t = mean_of_cells(treatment), c = mean_of_cells(control);
  const auto critical = [&](double df) { return t_quantile(0.5 + level / 2, df); };
  // As the ratio grows the contrast becomes the control's own t: unless that rejects zero, no ratio is too large.
  const std::optional<Contrast> own = independent_contrast(control, control, 0);
  if (c == 0 || std::abs(c) <= critical(own->df) * own->standard_error) return Interval{};
  const double centre = t / c;
  if (!std::isfinite(centre)) return Interval{};
  const auto outside = [&](double ratio) {
    const std::optional<Contrast> at = independent_contrast(treatment, control, ratio);
    if (!at) return -1.0;
    return std::abs(at->estimate) - critical(at->df) * at->standard_error;
  };
  const std::optional<Contrast> here = independent_contrast(treatment, control, centre);
  if (!here) return Interval{};
  const double first = critical(here->df) * here->standard_error / std::abs(c);
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
