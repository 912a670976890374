#pragma once
// One number for a run's many values of a metric. Knows nothing of where they came from or of what hangs on them.

#include <optional>
#include <span>

#include "kernel/domain/records.h"
#include "kernel/measure/metric_sources.h"

namespace kernel {

using Series = std::span<const MetricPoint* const>;

struct Summarised {
  std::optional<MetricValue> value{};  ///< None: nothing was left after the warm-up.
  /// The first value that is not finite, where the run fails for it; then `value` is none. Under `on_nan: censor` that
  /// is when no finite one stands before it.
  std::optional<double> broken{};
};

/// `points` are the metric's own, or its target metric's for `time_to`, in order; the warm-up is dropped here.
/// `target_goal` is only for `time_to`. Semantics: `measure`.
Summarised summarise(const Metric&, Series points, Goal target_goal);

}  // namespace kernel
