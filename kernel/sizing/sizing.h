#pragma once
// How many replicates a hypothesis needs, before its experiment is registered. A pilot gives variances here and is
// evidence for nothing. Pure; any thread.

#include <optional>
#include <span>
#include <vector>

#include "kernel/domain/records.h"
#include "kernel/evidence/observations.h"

namespace kernel {

struct Size {
  SizeRecord record;             ///< `replicates` lies within the design's min and max; `power` is at those.
  std::optional<double> wanted;  ///< Replicates that buy `design.power`, whatever the maximum; none: not known.
  bool refused = false;          ///< No number of replicates the design allows can give a verdict; `how` says why.
  std::vector<Reason> warnings;  ///< What the pilot shows against the test's assumptions.
};

/// Can this hypothesis be sized from the design alone (`smallest_effect` in standard deviations, or an exact metric)?
bool needs_pilot(const StudySpec&, const Hypothesis&);

/// Fixed replicates (min = max, or settled by an earlier study): that number, with its power where it can be known.
/// Otherwise the smallest number with power `design.power` for `smallest_effect` at level α/M (`family` is M):
/// in standard deviations by the noncentral t; else by Stein's two stages (1945) from the pilot's variance, with the
/// pilot's degrees of freedom in both quantiles, at least the pilot's own size, and raised where the final test's own
/// variance would miss the power (stats::fresh_power; Stein tests with the pilot's, which is discarded here).
/// `pilot` holds the pilot's runs with values of this hypothesis's metric, and may be empty.
Size size_of(const StudySpec&, const Hypothesis&, int family, std::span<const RunValue> pilot);

/// The power that this number of replicates buys, by the same reckoning as `size_of`; for budgets that allow fewer.
std::optional<double> achieved_power(const StudySpec&, const Hypothesis&, int family, std::span<const RunValue> pilot,
                                     int replicates);

}  // namespace kernel
