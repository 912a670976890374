#pragma once
// Registered looks before all runs have ended: the share of runs and the level of each look, and when further runs are
// no longer worthwhile. Pure; any thread.

#include <optional>
#include <vector>

#include "kernel/inference/estimate.h"
#include "stats/error_rates/t_test_power.h"

namespace kernel {

/// The looks before the last, as rising shares of every cell's replicates below 1. Only those of the design at which
/// every cell has at least four runs and more than at the look before. With `anytime` one per replicate.
std::vector<double> looks_of(const Registration&);
/// With `anytime`: the number of pairs at the first look.
int first_anytime_look(const Design&);
/// The number of a cell's replicates, in run order, that belong to that share.
int replicates_by(int replicates, double share);

/// The position of one look at a hypothesis.
struct LookAt {
  int number = 1, of = 1;  ///< Counts from 1; the last look is when all runs have ended.
  /// Fractions of its runs at each look until now; {1} without earlier looks, and if every look has the whole level.
  std::vector<double> fractions;
  double share = 1;  ///< Of its runs, at this look.
};
/// None if the hypothesis has no more runs than at the look before. `number` may be the last.
std::optional<LookAt> look_at(const StudySpec&, const Registration&, const Hypothesis&, int number);

/// The level at this look of a test at `level`: O'Brien–Fleming-like spending (Lan & DeMets 1983) on the p scale.
double level_at(const LookAt&, double level, stats::Sides);
/// The same for the last look of the design; `level` itself without earlier looks. With `anytime`, the level of a t
/// test with the same boundary. For sizing.
double last_level(const Design&, double level, stats::Sides);
/// The smallest level at which a test with this p would stop at this look; Holm's procedure uses it as the p.
double p_at(const LookAt&, double p, stats::Sides);

/// The sides of the hypothesis's own p, and those of the p of its refutation.
stats::Sides sides_of(Direction);
stats::Sides refuting_sides(Direction);

/// The probability that the hypothesis is supported at `level` when all runs have ended, if the truth is its smallest
/// effect (equal arms if it claims that): B(t) = z√t, drift by the contrast's own error (Lachin, "A review of methods
/// for futility stopping based on conditional power", Stat. Med. 24 (2005)). None if that effect is impossible.
std::optional<double> conditional_power(const Hypothesis&, const Estimate&, const LookAt&, double level);

}  // namespace kernel
