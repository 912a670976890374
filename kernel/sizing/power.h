#pragma once
// The power of a hypothesis's test if its `smallest_effect` is the truth: from a sample's variance, or from the design
// alone if the effect is in standard deviations. Pure; any thread.

#include <optional>

#include "kernel/inference/estimate.h"

namespace kernel {

/// The part of a test that follows from the design: how its error and degrees of freedom depend on replicates.
struct DesignShape {
  HypothesisKind kind = HypothesisKind::compare;
  Pairing pairing = Pairing::seed;
  double treatment_cells = 1, control_cells = 1;  ///< For slopes, `treatment_cells` counts the points of all lines.
  double lines = 0;                               ///< Only for slopes; several with paired seeds have seeds as units.
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

/// The power before any run; none if the effect is not in standard deviations, or if n gives no degree of freedom.
std::optional<double> power_of(const StudySpec&, const Hypothesis&, int replicates, double alpha);

}  // namespace kernel
