#pragma once
// Looking before all runs are there, where the design registers it: how far each look reaches, at what level a test
// stops there, and when going on is no longer worth its runs. Pure; any thread.

#include <optional>
#include <vector>

#include "kernel/inference/estimate.h"
#include "stats/error_rates/t_test_power.h"

namespace kernel {

/// The looks before the last, as shares of every cell's replicates, rising and below 1: those of the design at which
/// every cell has at least four runs and has more than at the look before.
std::vector<double> looks_of(const Registration&);
/// How many of a cell's replicates belong to that share of them, in the order in which they are run.
int replicates_by(int replicates, double share);

/// Where one hypothesis stands when it is looked at.
struct LookAt {
  int number = 1, of = 1;         ///< Counts from 1; the last one is when all has ended.
  std::vector<double> fractions;  ///< Of its runs, at each look until now; {1}: nobody looked before.
};
/// None where it has no more runs than at the look before. `number` may be the last.
std::optional<LookAt> look_at(const StudySpec&, const Registration&, const Hypothesis&, int number);

/// What a test at `level` may use at this look: O'Brien–Fleming-like spending (Lan & DeMets 1983) on the p scale.
double level_at(const LookAt&, double level, stats::Sides);
/// That of its last look, as the design plans it; `level` itself where nobody looks earlier. For sizing.
double last_level(const Design&, double level, stats::Sides);
/// The smallest level at which a test with this p would stop here: what Holm's procedure gets for its p.
double p_at(const LookAt&, double p, stats::Sides);

/// How the p of the hypothesis's own test counts; and that of its refutation.
stats::Sides sides_of(Direction);
stats::Sides refuting_sides(Direction);

/// The chance that the hypothesis is still supported when all has ended, at `level`, if the truth is its smallest
/// effect (equal arms where it claims so): B(t) = z√t, drift by the contrast's own error (Lachin, "A review of methods
/// for futility stopping based on conditional power", Stat. Med. 24 (2005)). None where that effect cannot be had.
std::optional<double> conditional_power(const Hypothesis&, const Estimate&, const LookAt&, double level);

}  // namespace kernel
