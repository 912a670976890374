#pragma once
// Summarises the values of a metric of one run as one number. Independent of their source and of verdicts.

#include <optional>
#include <span>

#include "kernel/domain/records.h"
#include "kernel/measure/metric_sources.h"

namespace kernel {

using Series = std::span<const MetricPoint* const>;

struct Summarised {
  std::optional<MetricValue> value{};  ///< None if no value was left after the warm-up.
  /// The first value that is not finite, if the run fails because of it; `value` is then none. Under `on_nan: censor`
  /// the run fails only if no finite value precedes it.
  std::optional<double> broken{};
};

/// `points`: those of the metric, or of its target metric for `time_to`, in order; this function drops the warm-up.
/// `target_goal` is only for `time_to`. Semantics: `measure`.
Summarised summarise(const Metric&, Series points, Goal target_goal);

}  // namespace kernel
