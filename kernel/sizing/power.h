#pragma once
// The power of a hypothesis's test where its `smallest_effect` is the truth: from a sample's variance, or from the
// design alone where the effect is stated in standard deviations. Pure; any thread.

#include <optional>

#include "kernel/inference/estimate.h"

namespace kernel {

/// What the design alone says about a test: how its error and its degrees of freedom go with replicates.
struct DesignShape {
  HypothesisKind kind = HypothesisKind::compare;
  Pairing pairing = Pairing::seed;
  double treatment_cells = 1, control_cells = 1;  ///< Slopes: the points of all lines are `treatment_cells`.
  double lines = 0;                               ///< Slopes only; several with paired seeds have seeds as units.
  bool blocks = false;                            ///< Replicates are blocks, and units of slopes, too.

  /// Degrees of freedom with n replicates per cell (equal variances assumed); below 1: no test.
  double df(int replicates) const;
  /// Standard errors in one standard deviation of the test's unit, at this boundary.
  double sharpness(int replicates, const Boundary&) const;
};
/// The shapes of a hypothesis's tests: one, or one per setting for `over: every`; empty when it has no cell.
std::vector<DesignShape> shapes_of(const StudySpec&, const Hypothesis&);

/// How many standard errors the alternative lies inside each boundary.
struct Reach {
  std::optional<double> from_below, from_above;
  bool two_sided = false;  ///< direction `different`: one boundary decides, at half alpha.
};
double power_at(const Reach&, double df, double alpha);

struct TestReach {
  Reach reach;
  double df = 0;
};
/// That of a test as it was run, by its own variance. None for exact tests, without variance, and where the smallest
/// effect cannot be had.
std::optional<TestReach> reach_of(const Hypothesis&, const Test&);

/// Of the test as it was run, its own variance taken for the truth. None for exact tests, without variance, and where
/// the smallest effect cannot be had.
std::optional<double> power_of(const Hypothesis&, const Test&, double alpha);

/// Before any run: only for effects in standard deviations, none otherwise or when n gives no degree of freedom.
std::optional<double> power_of(const StudySpec&, const Hypothesis&, int replicates, double alpha);

}  // namespace kernel
