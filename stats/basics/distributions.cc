#include "stats/basics/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace stats {

namespace {

namespace bm = boost::math;
namespace policy = boost::math::policies;
// Boost's errors come back as values that are checked below, not as exceptions.
using Quiet =
    policy::policy<policy::overflow_error<policy::ignore_error>, policy::underflow_error<policy::ignore_error>,
                   policy::evaluation_error<policy::ignore_error>, policy::domain_error<policy::ignore_error>,
                   policy::pole_error<policy::ignore_error>, policy::denorm_error<policy::ignore_error>,
                   policy::promote_double<false>>;
using Normal = bm::normal_distribution<double, Quiet>;
using StudentsT = bm::students_t_distribution<double, Quiet>;
using NoncentralT = bm::non_central_t_distribution<double, Quiet>;
using ChiSquared = bm::chi_squared_distribution<double, Quiet>;

constexpr double infinity = std::numeric_limits<double>::infinity();

void demand(bool held, const char* what) {
  if (!held) throw std::domain_error(what);
}

double probability(double value, const char* what) {
  demand(!std::isnan(value), what);
  return std::clamp(value, 0.0, 1.0);
}

constexpr double series_limit = 30;

/// P(Z + noncentrality > x·s) over the density of s = √(χ²(df)/df), split where the probability falls from 1 to 0.
double noncentral_t_integral(double x, double df, double noncentrality) {
  const double low = std::sqrt(chi_squared_quantile(1e-16, df) / df);
  const double high = std::sqrt(bm::quantile(bm::complement(ChiSquared(df), 1e-16)) / df);
  // Beyond 9 and 39 the normal distribution is 1 and 0 in double precision: nothing is left to integrate.
  const auto [worst, best] = std::minmax({noncentrality - x * low, noncentrality - x * high});
  if (worst > 9) return 1;
  if (best < -39) return 0;
  const double constant = std::log(2.0) + df / 2 * std::log(df / 2) - bm::lgamma(df / 2, Quiet());
  const auto integrand = [&](double log_s) {  // Over log s: few degrees of freedom make a cusp at s = 0.
    const double s = std::exp(log_s);
    return normal_cdf(noncentrality - x * s) * std::exp(constant + df * log_s - df * s * s / 2);
  };
  std::vector<double> cuts = {std::log(low), 0, std::log(high)};
  for (const double away : {-8.0, 0.0, 8.0}) {
    const double cut = (noncentrality + away) / x;
    if (cut > low && cut < high) cuts.push_back(std::log(cut));
  }
  std::ranges::sort(cuts);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    sum += bm::quadrature::gauss_kronrod<double, 61>::integrate(integrand, cuts[i], cuts[i + 1], 8, 1e-12);
  return probability(sum, "noncentral t: no value");
}

}  // namespace

double normal_cdf(double x) {
  demand(!std::isnan(x), "normal_cdf: x is not a number");
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

double normal_quantile(double p) {
  demand(p >= 0 && p <= 1, "normal_quantile: p outside [0, 1]");
  if (p <= 0) return -infinity;
  if (p >= 1) return infinity;
  return bm::quantile(Normal(), p);
}

double t_cdf(double x, double df) {
  return t_upper(-x, df);
}

double t_upper(double x, double df) {
  demand(!std::isnan(x) && df > 0, "t_upper: x is not a number, or df is not positive");
  if (std::isinf(x)) return x > 0 ? 0 : 1;
  if (std::isinf(df)) return normal_cdf(-x);
  return probability(bm::cdf(bm::complement(StudentsT(df), x)), "t_upper: no value");
}

double t_quantile(double p, double df) {
  demand(p >= 0 && p <= 1 && df > 0, "t_quantile: p outside [0, 1], or df not positive");
  if (p <= 0) return -infinity;
  if (p >= 1) return infinity;
  if (std::isinf(df)) return normal_quantile(p);
  const double value = bm::quantile(StudentsT(df), p);
  demand(!std::isnan(value), "t_quantile: no value");
  return value;
}

double noncentral_t_cdf(double x, double df, double noncentrality) {
  return noncentral_t_upper(-x, df, -noncentrality);
}

double noncentral_t_upper(double x, double df, double noncentrality) {
  demand(!std::isnan(x) && df > 0 && std::isfinite(noncentrality), "noncentral_t_upper: outside its domain");
  if (std::isinf(x)) return x > 0 ? 0 : 1;
  if (std::isinf(df)) return normal_cdf(noncentrality - x);
  if (noncentrality == 0) return t_upper(x, df);
  if (std::abs(noncentrality) > series_limit) return noncentral_t_integral(x, df, noncentrality);
  const double value = bm::cdf(bm::complement(NoncentralT(df, noncentrality), x));
  return std::isfinite(value) ? std::clamp(value, 0.0, 1.0) : noncentral_t_integral(x, df, noncentrality);
}

double chi_squared_quantile(double p, double df) {
  demand(p > 0 && p < 1 && df > 0 && std::isfinite(df), "chi_squared_quantile: outside its domain");
  const double value = bm::quantile(ChiSquared(df), p);
  demand(!std::isnan(value), "chi_squared_quantile: no value");
  return value;
}

}  // namespace stats
