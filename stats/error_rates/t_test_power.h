#pragma once
// Power of t tests and of equivalence tests, and the sizes that reach it: for a standardised effect by the noncentral
// t, for an effect in the metric's unit by Stein's two stages from a pilot's variance. Pure; any thread.

#include <functional>
#include <optional>

namespace stats {

enum class Sides { one, two };

/// Power of a t test at level alpha whose statistic has the given noncentrality (true contrast / standard error) in the
/// hypothesised direction. Cohen, "Statistical power analysis", 2nd ed. (1988), ch. 12. df > 0.
double t_power(double noncentrality, double df, double alpha, Sides sides);

/// Power of two one-sided tests at level alpha when the truth lies `above_low` standard errors above the lower end and
/// `below_high` below the upper one: ∫ [Φ(below_high − q·s) − Φ(q·s − above_low)]⁺ dF(s), s = √(χ²(df)/df), q the
/// t quantile. Phillips, "Power of the two one-sided tests procedure in bioequivalence", J. Pharmacokinet. Biopharm. 18
/// (1990). Finite df > 0.
double equivalence_power(double above_low, double below_high, double df, double alpha);

/// The smallest n in [low, high] with power(n) ≥ target, for a power that does not fall with n; none when high is not
/// enough.
std::optional<int> smallest_n(int low, int high, double target, const std::function<double(int)>& power);

/// What a pilot says to the size of the study that follows it.
struct PilotDesign {
  double variance = 0;  ///< n times the squared standard error of the contrast, as the pilot estimates it.
  double df = 1;        ///< The pilot's.
  double distance = 0;  ///< From the boundary to where the power is wanted, in the contrast's unit.
  double alpha = 0.05;
  Sides sides = Sides::one;  ///< two: the quantile at alpha/2.
  bool equivalence = false;  ///< Both one-sided tests must reject, so each must with power (1 + power)/2.
};

/// The power that n observations buy by Stein, "A two-sample test for a linear hypothesis whose power is independent of
/// the variance", Ann. Math. Stat. 16 (1945): F_t(distance·√n/s − q_α) with the pilot's df, for equivalence 2F − 1, at
/// least 0.
double stein_power(const PilotDesign&, double n);
/// Power of a study that discards its pilot and tests with a variance of its own on `final_df`. Stein's test would use
/// the pilot's variance. Given the pilot, the power over the possible true variances is P(T ≤ distance·√n/s). T is
/// noncentral t with the pilot's df and the final test's quantile as noncentrality (Stein's argument with a fixed
/// quantile in place of q_α·s). Less than `stein_power` for powers above about 0.8 and for equivalence.
double fresh_power(const PilotDesign&, double n, double final_df);

}  // namespace stats
