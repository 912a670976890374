#pragma once
// The number of replicates that a hypothesis needs, before its experiment is registered. A pilot only gives variances
// here and is never evidence. Pure; any thread.

#include <optional>
#include <span>
#include <vector>

#include "kernel/domain/records.h"
#include "kernel/evidence/observations.h"

namespace kernel {

struct Size {
  SizeRecord record;             ///< `replicates` lies within the design's min and max; `power` is at those.
  std::optional<double> wanted;  ///< Replicates that reach `design.power`, without the maximum; none if unknown.
  bool refused = false;          ///< No number of replicates in the design can give a verdict; `how` says why.
  std::vector<Reason> warnings;  ///< Violations of the test's assumptions in the pilot.
};

/// False if fixed replicates, an effect in standard deviations or an exact metric give the size without a pilot.
bool needs_pilot(const StudySpec&, const Hypothesis&);

/// Fixed replicates (min = max, or settled by an earlier study) give that number, with its power if it can be computed.
/// Otherwise, the smallest number with power `design.power` for `smallest_effect` at level α/M (`family` is M). If the
/// effect is in standard deviations, the noncentral t gives it. Else Stein's two stages (1945) use the pilot's variance
/// and its degrees of freedom in both quantiles, with at least the pilot's size. The number is raised if the final
/// test, which uses its own variance and not the pilot's, would miss the power (stats::fresh_power). `pilot` holds the
/// pilot's runs with values of this hypothesis's metric, and may be empty.
Size size_of(const StudySpec&, const Hypothesis&, int family, std::span<const RunValue> pilot);

/// The power with this number of replicates, computed as in `size_of`; for budgets that allow fewer.
std::optional<double> achieved_power(const StudySpec&, const Hypothesis&, int family, std::span<const RunValue> pilot,
                                     int replicates);

}  // namespace kernel
