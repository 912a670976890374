#pragma once
// The power of a hypothesis's test if its `smallest_effect` is the truth: from a sample's variance, from a pilot, or
// from the design alone if the effect is in standard deviations. Pure; any thread.

#include <functional>
#include <optional>
#include <span>

#include "kernel/inference/estimate.h"

namespace kernel {

/// The part of a test that follows from the design: how its error and degrees of freedom depend on replicates.
struct DesignShape {
  HypothesisKind kind = HypothesisKind::compare;
  Pairing pairing = Pairing::seed;
  double treatment_cells = 1, control_cells = 1;  ///< For slopes, `treatment_cells` counts the points of all lines.
  double lines = 0;                               ///< Only for slopes.
  bool slope_per_seed = false;                    ///< Paired seeds are the units also of one line.
  bool blocks = false;                            ///< If replicates are blocks, also as units of slopes.

  /// Degrees of freedom with n replicates per cell (equal variances assumed); below 1 there is no test.
  double df(int replicates) const;
  /// Standard errors per standard deviation of the test's unit, at this boundary.
  double sharpness(int replicates, const Boundary&) const;
};
/// The shapes of a hypothesis's tests: one, or one per setting for `over: every`; empty if it has no cell.
std::vector<DesignShape> shapes_of(const StudySpec&, const Hypothesis&);

/// How many standard errors the alternative lies inside each boundary.
struct Reach {
  std::optional<double> from_below, from_above;
  bool two_sided = false;  ///< Direction `different`: one boundary decides, at half alpha.
};
double power_at(const Reach&, double df, double alpha);

struct TestReach {
  Reach reach;
  double df = 0;
};
/// The reach of a test as it was run, by its own variance. None for exact tests, without variance, and if the smallest
/// effect is impossible.
std::optional<TestReach> reach_of(const Hypothesis&, const Test&);

/// The power of the test as it was run, with its own variance taken as true. None for exact tests, without variance,
/// and if the smallest effect is impossible.
std::optional<double> power_of(const Hypothesis&, const Test&, double alpha);

/// The distance beyond the boundary (a shift of the contrast; on logarithms, of the log ratio) at which the test as it
/// was run has this power, with its own variance taken as true. None for exact tests, without variance, and for
/// hypotheses that claim equal arms.
std::optional<double> detectable(const Hypothesis&, const Test&, double alpha, double power);

/// The power before any run; none if the effect is not in standard deviations, or if n gives no degree of freedom.
std::optional<double> power_of(const StudySpec&, const Hypothesis&, int replicates, double alpha);

/// The power as a function of replicates per cell.
using PowerOfReplicates = std::function<double(int)>;

/// The power by the pilot's variance, of all tests together: from the lesser of Stein's bound and that of a test with
/// its own variance (stats::fresh_power); of shares that of their own test (stats::share_power). None if the pilot does
/// not give the variances.
std::optional<PowerOfReplicates> power_by_pilot(const StudySpec&, const Hypothesis&, double alpha,
                                                const Estimate& pilot);

/// The distance of `detectable`, by the pilot's variance, for a study of so many replicates per cell. None in blocks.
std::optional<double> detectable_by_pilot(const StudySpec&, const Hypothesis&, double alpha, const Estimate& pilot,
                                          int replicates);

/// The same as `power_by_pilot` if blocks are the units. Their number is fixed, and replicates only make each block's
/// mean more precise: with n of them, the variance of a block's contrast is between + within/n
/// (stats::variance_components of the pilot's contrasts within seeds). Variance and test both have as many degrees of
/// freedom as there are blocks less one. If the effect is in standard deviations of a block's contrast, replicates and
/// pilot do not matter.
std::optional<PowerOfReplicates> power_in_blocks(const StudySpec&, const Hypothesis&, double alpha,
                                                 std::span<const RunValue> pilot);

}  // namespace kernel
