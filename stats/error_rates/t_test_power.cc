#include "stats/error_rates/t_test_power.h"

#include <algorithm>
#include <cmath>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "stats/basics/distributions.h"

namespace stats {

namespace {

double critical(const PilotDesign& d, double df) {
  return t_quantile(1 - (d.sides == Sides::two ? d.alpha / 2 : d.alpha), df);
}

/// Both of two tests, when each rejects with this probability and they miss on opposite sides.
double both(const PilotDesign& d, double each) {
  return d.equivalence ? std::max(0.0, 2 * each - 1) : each;
}

}  // namespace

double t_power(double noncentrality, double df, double alpha, Sides sides) {
  if (sides == Sides::one) return noncentral_t_upper(t_quantile(1 - alpha, df), df, noncentrality);
  const double q = t_quantile(1 - alpha / 2, df);
  return std::min(1.0, noncentral_t_upper(q, df, noncentrality) + noncentral_t_cdf(-q, df, noncentrality));
}

double equivalence_power(double above_low, double below_high, double df, double alpha) {
  if (!(above_low + below_high > 0)) return 0;
  const double q = t_quantile(1 - alpha, df);
  // Beyond `stop` the interval is too wide to fit; outside the χ quantiles there is nothing to add.
  const double low = std::sqrt(chi_squared_quantile(1e-15, df) / df);
  const double high = std::sqrt(chi_squared_quantile(1 - 1e-15, df) / df);
  const double stop = q > 0 ? std::min(high, (above_low + below_high) / (2 * q)) : high;
  if (stop <= low) return 0;
  const double constant = std::log(2.0) + df / 2 * std::log(df / 2) - boost::math::lgamma(df / 2);
  const auto integrand = [&](double s) {
    const double density = std::exp(constant + (df - 1) * std::log(s) - df * s * s / 2);
    return std::max(0.0, normal_cdf(below_high - q * s) - normal_cdf(q * s - above_low)) * density;
  };
  using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
  const double value = Rule::integrate(integrand, low, stop, 12, 1e-12);
  return std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
}

std::optional<int> smallest_n(int low, int high, double target, const std::function<double(int)>& power) {
  if (low > high || power(high) < target) return std::nullopt;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (power(middle) >= target) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

double stein_power(const PilotDesign& d, double n) {
  if (d.variance <= 0) return d.distance == 0 ? 0 : 1;
  return both(d, t_cdf(std::abs(d.distance) * std::sqrt(n / d.variance) - critical(d, d.df), d.df));
}

double fresh_power(const PilotDesign& d, double n, double final_df) {
  if (d.variance <= 0) return d.distance == 0 ? 0 : 1;
  return both(d, noncentral_t_cdf(std::abs(d.distance) * std::sqrt(n / d.variance), d.df, critical(d, final_df)));
}

}  // namespace stats
