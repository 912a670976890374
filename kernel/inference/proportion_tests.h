#pragma once
// A comparison of how many runs of two arms succeeded: Newcombe's intervals and, against no difference at all, the
// exact tests of Fisher and McNemar. Runs that failed may be either. Pure; any thread.

#include <optional>
#include <string>

#include "kernel/inference/rank_tests.h"

namespace kernel {

/// Every run says 1 or 0: it succeeded or it did not.
bool are_outcomes(const Sample&);

/// The warning that says so where it is otherwise.
std::string within_runs(const std::string& metric);

/// As of ranks: against support every failed run is what speaks against the hypothesis, in both arms; against
/// refutation what speaks for it. Where a boundary is equality itself, the larger p of interval and exact test.
PValues share_p_values(const Ranked&, const Region&, std::optional<double> sd);

/// What one replicate adds to the variance of treatment − ratio·control, from shares drawn towards one half by four
/// more runs (Agresti & Coull, "Approximate is better than exact for interval estimation of binomial proportions", Am.
/// Stat. 52 (1998)), so that five successes of five are not taken for certainty; pairs as if they were none.
double share_variance(const Sample&, const Boundary&);

/// Of treatment − control. No ends where a run failed.
stats::Interval share_interval(const Sample&, double level);
/// Of treatment / control.
stats::Interval share_ratio_interval(const Sample&, double level);

}  // namespace kernel
