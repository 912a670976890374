#pragma once
// Confidence sets for a ratio of means. If the denominator is not clearly different from zero, the ratio is unbounded
// and the ends are missing. Pure; any thread.

#include <optional>
#include <span>

#include "stats/basics/contrast.h"

namespace stats {

/// Fieller, "Some problems in interval estimation", J. R. Stat. Soc. B 16 (1954): all ratios r with
/// (t − r·c)² ≤ critical²·(v_tt − 2·r·v_tc + r²·v_cc), v being variances and covariance of the two means. Where that
/// set is everything, or everything but an interval, both ends are missing.
Interval fieller(double t, double c, double v_tt, double v_tc, double v_cc, double critical);

/// Ratio of the paired means; the set of ratios that the paired contrast at that ratio does not reject. None unless
/// n ≥ 2 finite pairs. 0 < level < 1.
std::optional<Interval> fieller_paired(std::span<const double> treatment, std::span<const double> control,
                                       double level);

/// Ratio of equally weighted means of independent cells with variances of their own. Inverts `independent_contrast`,
/// whose Satterthwaite degrees of freedom depend on the ratio (Tamhane & Logan, "Finding the maximum safe dose
/// level for heteroscedastic data", J. Biopharm. Stat. 14 (2004), plug in its estimate instead). None unless every cell
/// has n ≥ 2.
std::optional<Interval> fieller_independent(std::span<const Moments> treatment, std::span<const Moments> control,
                                            double level);

}  // namespace stats
