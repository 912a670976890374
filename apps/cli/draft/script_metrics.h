#pragma once
// How a Python program seems to report its results, read from its source without running it: lines for $ETUDE_METRICS,
// what it prints, JSON it writes. A guess for a person to confirm; knows nothing of study files beyond their sources.

#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace cli {

struct ScriptMetric {
  std::string name;  ///< Usable as a metric's name.
  kernel::MetricSource source;
  kernel::Goal goal = kernel::Goal::minimize;
  std::string unit;  ///< Empty: not known.
  int line = 0;      ///< Of the source, where it was seen.
};

/// The likeliest primary first: held-out before training, at most four, names unique.
std::vector<ScriptMetric> script_metrics(std::string_view source);

}  // namespace cli
