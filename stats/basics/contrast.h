#pragma once
// Student's t on a linear contrast of two arms, t − ratio·c − shift: paired, or of independent cells with unequal
// variances. The same three numbers (estimate, standard error, degrees of freedom) answer every one-sided, two-sided
// and equivalence question. Tests that have no standard error answer by the two one-sided p-values. Pure; any thread.

#include <algorithm>
#include <optional>
#include <span>

#include "stats/basics/descriptive.h"

namespace stats {

/// (estimate − truth) / standard_error follows Student's t with `df` degrees of freedom. A `standard_error` of 0 means
/// that the sample did not vary: the functions below then compare exactly, which says nothing about other samples.
struct Contrast {
  double estimate = 0;
  double standard_error = 0;
  double df = 1;
};

/// A missing end is unbounded.
struct Interval {
  std::optional<double> low, high;
};

/// Mean of t_i − ratio·c_i − shift over pairs; df = n − 1. Student, "The probable error of a mean", Biometrika 6
/// (1908). None unless n ≥ 2 pairs of finite numbers.
std::optional<Contrast> paired_contrast(std::span<const double> treatment, std::span<const double> control,
                                        double ratio = 1, double shift = 0);

/// (Mean of the treatment cells' means) − ratio·(mean of the control cells' means) − shift: equal weights whatever the
/// cells' sizes, a variance of its own for each cell. df by Satterthwaite, "An approximate distribution of estimates of
/// variance components", Biometrics Bulletin 2 (1946). One cell each is Welch's t (Biometrika 34, 1947). None
/// unless both arms have a cell and every cell has n ≥ 2.
std::optional<Contrast> independent_contrast(std::span<const Moments> treatment, std::span<const Moments> control,
                                             double ratio = 1, double shift = 0);

/// p of "the truth is ≥ 0" against "< 0". Without variance: 0 where the estimate is below 0, else 1.
double p_less(const Contrast&);
/// p of "the truth is ≤ 0" against "> 0". Without variance: 0 where the estimate is above 0, else 1.
double p_greater(const Contrast&);
/// p of "the truth is 0". Without variance: 0 where the estimate is not 0, else 1.
double p_two_sided(const Contrast&);
/// p of "the truth is at least `by` standard errors beyond 0 on that side", for effects stated in standard deviations:
/// the noncentral t of the statistic. Hedges, "Distribution theory for Glass's estimator of effect size", J. Educ.
/// Stat. 6 (1981). `by` ≥ 0.
double p_not_below(const Contrast&, double by);
double p_not_above(const Contrast&, double by);

/// Two-sided confidence interval of the truth; 0 < level < 1.
Interval interval(const Contrast&, double level);

/// Hedges' factor on an effect in standard deviations, which corrects its bias at few degrees of freedom:
/// Γ(df/2) / (√(df/2)·Γ((df − 1)/2)). Hedges, "Distribution theory for Glass's estimator of effect size", J. Educ.
/// Stat. 6 (1981). df > 1; 0 at df = 1, where the expectation does not exist.
double hedges_factor(double df);

/// `less`: p of "the treatment is not below" against "it is below"; `greater` the other way. Both hold the observed
/// value itself, so that their sum is 1 or more for discrete tests.
struct OneSided {
  double less = 1, greater = 1;
};

/// Twice the smaller, at most 1.
inline double two_sided(const OneSided& p) {
  return std::min(1.0, 2 * std::min(p.less, p.greater));
}

}  // namespace stats
