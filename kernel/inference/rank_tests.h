#pragma once
// A comparison of two arms by ranks: Wilcoxon's signed ranks of pairs, Mann and Whitney's test of independent runs,
// with Hodges and Lehmann's estimates; Gehan's for times that may have been cut off. Runs that failed have no number,
// only a rank. Pure; any thread.

#include <optional>
#include <vector>

#include "kernel/inference/hypothesis_region.h"
#include "stats/ranks/censored.h"

namespace kernel {

/// None: it failed. Pairs stand at the same place of both.
struct Ranked {
  bool paired = true;
  bool cut = false;  ///< Some may be known to be at least so much; then by Gehan's scores.
  std::vector<std::optional<stats::Duration>> treatment, control;
};

/// Of pairs, and of one cell against one; no other sample has ranks that a known test compares.
std::optional<Ranked> ranked(const Sample&);

/// The boundary beyond which a refutation must place the effect, past `above` or `below`. `sd`: of the test's unit, for
/// a smallest effect in standard deviations; none where it is needed and not known.
std::optional<Boundary> beyond_of(const Region&, bool above, std::optional<double> sd);

/// Against support every failed run ranks worst for the hypothesis, in both arms; against refutation best for it. `sd`:
/// of the test's unit, for a smallest effect in standard deviations.
PValues ranked_p_values(const Ranked&, const Region&, std::optional<double> sd);

/// How far treatment lies above control, in the metric's unit; none where a run failed.
struct RankEffect {
  double shift = 0;             ///< Hodges and Lehmann's estimate.
  std::optional<double> ratio;  ///< Of the arms; only where every control is above zero.
  /// From the shift's interval, as wide as so few runs can bound it: Lehmann, "Nonparametric confidence intervals for a
  /// shift parameter", Ann. Math. Stat. 34 (1963), with t for the normal quantile.
  std::optional<double> standard_error;
  double df = 1;
  bool open = false;  ///< What was cut off leaves it unbounded on one side; `shift` is the other end.
};
std::optional<RankEffect> rank_effect(const Ranked&);
stats::Interval rank_interval(const Ranked&, double level);
stats::Interval rank_ratio_interval(const Ranked&, double level);

/// The smallest one-sided p that n replicates of either arm can give.
double smallest_rank_p(Pairing, int replicates);
/// How many times as many runs as a t test a rank test takes under normality, π/3: Hodges and Lehmann, "The efficiency
/// of some nonparametric competitors of the t-test", Ann. Math. Stat. 27 (1956).
inline constexpr double rank_efficiency = 0.9549296585513721;

}  // namespace kernel
