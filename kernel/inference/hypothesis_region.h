#pragma once
// What a hypothesis states about the truth, as straight boundaries between the two arms' means. Direction, margin and
// smallest effect give the boundaries; their p-values give those of the hypothesis. Pure; any thread.

#include <functional>
#include <optional>
#include <variant>

#include "kernel/evidence/sample.h"
#include "kernel/inference/verdict.h"

namespace kernel {

/// The truth lies in the region if it is below `below` and above `above` (those that are set), or `either` of them.
struct Region {
  std::optional<Boundary> below, above;
  bool either = false;  ///< Direction `different`.
  /// `smallest_effect` beyond the margin, for less, greater and different: either boundaries, or a number of standard
  /// deviations of the test's unit beyond `below` and `above`.
  std::optional<Boundary> far_below, far_above;
  std::optional<double> far_sd;
};

/// What a region depends on apart from the hypothesis.
struct Scales {
  Goal goal = Goal::minimize;
  bool log = false;    ///< If the sample holds logarithms; relative margins become shifts.
  double control = 1;  ///< The control's mean; its sign decides on which side of zero a ratio lies.
};

/// Contract, "Direction and margin". The reason says why the sample cannot be compared with this margin.
std::variant<Region, Reason> region_of(const Hypothesis&, const Scales&);

/// The p-values of one boundary.
struct Side {
  double outside = 1, inside = 1, beyond = 1;
};
/// The p-values of the region from those of its boundaries; sides without a boundary are ignored. Two one-sided tests
/// place the truth between two boundaries, each at the level (Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987)).
PValues both_sides(const Region&, const Side& below, const Side& above);
/// The same from functions that give a boundary's p: small if the truth lies below it (`less`) or above it (`greater`).
/// `sd` is that of the test's unit, for a smallest effect in standard deviations.
PValues p_values(const Region&, std::optional<double> sd, const std::function<double(const Boundary&)>& less,
                 const std::function<double(const Boundary&)>& greater);

/// The truth for which power is computed, as its distance inside the region from each boundary that is set: for less,
/// greater and different `smallest_effect` beyond one boundary; for equal, and not_worse with a margin, equal arms.
struct Alternative {
  std::optional<double> from_below, from_above;  ///< In the contrast's unit.
  std::optional<double> sd;                      ///< Or the distance in standard deviations of the test's unit.
};
/// None if the smallest effect is impossible on the sample's scale: absolute on logarithms, or 100 % less and more.
std::optional<Alternative> alternative(const Hypothesis&, const Region&, const Scales&);

}  // namespace kernel
