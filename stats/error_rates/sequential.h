#pragma once
// Tests of the data before all of it is there: boundaries of a group-sequential test that spends its level over
// information. Efficacy only: futility is up to the caller and is not binding. Pure; any thread.

#include <optional>
#include <span>
#include <vector>

#include "stats/error_rates/t_test_power.h"

namespace stats {

enum class SpendingFunction { obrien_fleming, pocock };

/// The level of a one-sided test that may be spent up to this share of the information, 0 < fraction ≤ 1, 0 < alpha
/// < 1. O'Brien–Fleming-like 2 − 2Φ(Φ⁻¹(1 − alpha/2)/√fraction), Pocock-like alpha·ln(1 + (e − 1)·fraction): Lan &
/// DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70 (1983).
double spent(SpendingFunction, double fraction, double alpha);

struct Look {
  double fraction = 0;   ///< Of the information.
  double spent = 0;      ///< Of the level, on all sides together, up to this look.
  double critical = 0;   ///< Of the normal statistic; infinite where nothing can be spent yet.
  double nominal_p = 0;  ///< The test stops where its p (with its sides) is at most this.
  double level = 1;  ///< Of the repeated confidence interval, two-sided: `interval(contrast, level)`; 1 is unbounded.
};

/// Looks at these shares of the information at level alpha, each side of a two-sided test spending alpha/2. The
/// critical values solve P(first crossing at look k) = what look k may spend, for a Brownian motion observed at the
/// fractions, by the recursive integration of Armitage, McPherson & Rowe (J. R. Stat. Soc. A 132, 1969; Jennison &
/// Turnbull, "Group sequential methods with applications to clinical trials", 2000, ch. 19); two-sided tests stop on
/// either side. The repeated intervals: ibid., ch. 9. Right to 1e-9. None unless there is a look, 0 < alpha < 1
/// (one-sided: < ½), and the fractions lie in [0.001, 1] and grow by at least 0.001.
std::optional<std::vector<Look>> alpha_spending(std::span<const double> fractions, double alpha, Sides,
                                                SpendingFunction = SpendingFunction::obrien_fleming);

/// The smallest level at which the test would stop at the last of these looks, whose p (with its sides) is `p`; a
/// correction over several hypotheses may use it as p-value. At least p; 1 if no level below ½ (two-sided: 1) would do.
/// Relative precision 1e-9; p below 1e-100 counts as that. None for fractions that `alpha_spending` refuses. Liu &
/// Anderson, "On adaptive extensions of group sequential trials for clinical investigations", J. Am. Stat. Assoc. 103
/// (2008), for one look; no smaller than theirs.
std::optional<double> sequential_p(std::span<const double> fractions, double p, Sides,
                                   SpendingFunction = SpendingFunction::obrien_fleming);

}  // namespace stats
