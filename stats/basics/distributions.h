#pragma once
// The distributions everything else here needs, as plain functions over Boost.Math. Arguments outside a function's
// domain are a broken invariant of the caller and throw std::domain_error; no result is ever NaN. Pure; any thread.

namespace stats {

double normal_cdf(double x);
/// 0 ≤ p ≤ 1; infinite at the ends.
double normal_quantile(double p);

/// Student's t with `df` > 0, which may be infinite (the normal distribution). `x` may be infinite.
double t_cdf(double x, double df);
/// P(T > x), without the cancellation of 1 − cdf.
double t_upper(double x, double df);
/// 0 ≤ p ≤ 1; infinite at the ends.
double t_quantile(double p, double df);

/// Noncentral t: Z + noncentrality over an independent √(χ²(df)/df). Johnson, Kotz, Balakrishnan, "Continuous
/// univariate distributions", vol. 2 (1995), ch. 31. Where the series is slow or fails, the defining
/// integral over the χ density answers.
double noncentral_t_cdf(double x, double df, double noncentrality);
double noncentral_t_upper(double x, double df, double noncentrality);

/// P(χ²(df) ≤ x) inverted: 0 < p < 1, finite df > 0.
double chi_squared_quantile(double p, double df);

}  // namespace stats
