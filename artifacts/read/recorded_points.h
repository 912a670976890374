#pragma once
// Reads the points of an experiment's runs from an artifact of etude, evidence/results/E01_points.csv. Bounded; trusts
// nothing. Reads only below the root.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "artifacts/read/safe_root.h"
#include "kernel/measure/measure.h"

namespace artifacts {

struct RunPoints {
  std::vector<kernel::MetricPoint> points;
  int line = 0;            ///< Line of its first row.
  bool exact = true;       ///< False if a name contains characters that the row changes.
  bool understood = true;  ///< False if a row is malformed.
};

/// By the run's id. None if there is no such file, or one that is too large.
std::optional<std::map<std::string, RunPoints>> read_points(const SafeRoot&, const std::string& experiment);

}  // namespace artifacts
