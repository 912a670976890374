#pragma once
// What a hypothesis says about the truth, as straight boundaries between the two arms' means: direction, margin and
// smallest effect turned into geometry, and the p-values against it from those of its boundaries. Pure; any thread.

#include <functional>
#include <optional>
#include <variant>

#include "kernel/domain/reason.h"
#include "kernel/domain/study_spec.h"
#include "kernel/evidence/sample.h"
#include "kernel/inference/verdict.h"

namespace kernel {

/// The truth lies in the region when it is below `below` and above `above` (those that are set); with `either`
/// (direction `different`) one of the two is enough.
struct Region {
  std::optional<Boundary> below, above;
  bool either = false;
  /// `smallest_effect` beyond the margin, for less, greater and different: boundaries of their own, or a number of
  /// standard deviations of the test's unit past `below` and `above`.
  std::optional<Boundary> far_below, far_above;
  std::optional<double> far_sd;
};

/// What the region is read from, beside the hypothesis.
struct Scales {
  Goal goal = Goal::minimize;
  bool log = false;    ///< The sample holds logarithms: relative margins become shifts.
  double control = 1;  ///< The control's mean; its sign says on which side of zero a ratio is read.
};

/// Contract, "Direction and margin". The other alternative says why the sample cannot be held against this margin.
std::variant<Region, Reason> region_of(const Hypothesis&, const Scales&);

/// The p-values of one boundary alone.
struct Side {
  double outside = 1, inside = 1, beyond = 1;
};
/// Those of the region, from those of its boundaries; a boundary that the region lacks is not looked at.
PValues both_sides(const Region&, const Side& below, const Side& above);
/// The same from two p of a boundary: small where the truth lies below it, and above it. `sd`: of the test's unit, for
/// a smallest effect in standard deviations.
PValues p_values(const Region&, std::optional<double> sd, const std::function<double(const Boundary&)>& less,
                 const std::function<double(const Boundary&)>& greater);

/// Where power is computed: how far inside the region the truth is assumed, from each boundary that is set. For less,
/// greater and different at `smallest_effect` beyond one boundary; for equal, and for not_worse with a margin, at
/// exactly equal arms.
struct Alternative {
  std::optional<double> from_below, from_above;  ///< In the contrast's unit.
  std::optional<double> sd;                      ///< Instead: in standard deviations of the test's unit.
};
/// None where the smallest effect cannot be had on the sample's scale: absolute on logarithms, or 100 % less and more.
std::optional<Alternative> alternative(const Hypothesis&, const Region&, const Scales&);

}  // namespace kernel
