#pragma once
// Guesses from a Python program's source, without running it, how it reports results: lines for $ETUDE_METRICS, printed
// text, JSON files. A person confirms the guess.

#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace cli {

struct ScriptMetric {
  std::string name;  ///< Valid as a metric's name.
  kernel::MetricSource source;
  kernel::Goal goal = kernel::Goal::minimize;
  std::string unit;  ///< Empty if unknown.
  int line = 0;      ///< Line of the source.
};

/// The likeliest primary metric first: held-out before training, at most four, names unique.
std::vector<ScriptMetric> script_metrics(std::string_view source);

}  // namespace cli
