#pragma once
// One metric over the cells of an experiment, as tables and figures show it. Descriptive only: verdicts come from the
// kernel's analysis. Pure.

#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace artifacts {

struct CellMean {
  int cell = 0;    ///< Index into Study::cells.
  int failed = 0;  ///< Runs that count and did not succeed.
  int skipped =
      0;  ///< Succeeded, but the value is censored or counts as worst, so the other values alone give no mean.
  std::vector<double> values;
  std::optional<double> mean, sd;
  std::optional<double> low, high;  ///< 95 % interval of the mean, by Student's t.
  std::string missing;              ///< Why there is no mean; empty if there is one.
};

/// In the order of the registration's cells; one pass over the runs.
std::vector<CellMean> cell_means(const kernel::Study&, const kernel::Experiment&, const kernel::Metric&);

}  // namespace artifacts
