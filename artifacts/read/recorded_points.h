#pragma once
// Every point that an experiment's runs reported, as an artifact of ours carries them, evidence/results/E01_points.csv,
// read back. Bounded; believes nothing. Reads beneath the root only.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "artifacts/read/safe_root.h"
#include "kernel/measure/measure.h"

namespace artifacts {

struct RunPoints {
  std::vector<kernel::MetricPoint> points;
  int line = 0;            ///< Of its first row.
  bool exact = true;       ///< False: a name holds what its row cannot show byte for byte.
  bool understood = true;  ///< False: a row of it is none.
};

/// By the run's id. Nothing where there is no such file, or one too large to read.
std::optional<std::map<std::string, RunPoints>> read_points(const SafeRoot&, const std::string& experiment);

}  // namespace artifacts
