#pragma once
// What a dead job left in its run folder, measured by its study. Bounded reads; stores nothing.

#include <string>
#include <vector>

#include "kernel/executor.h"
#include "kernel/measure.h"

namespace session {

struct MeasuredRun {
  kernel::Measured measured;
  std::string out, err;  ///< The kept logs, with a line where something was left out.
};

/// A run that changed one of `protect` is invalid, whatever it measured.
MeasuredRun measure_run(const kernel::StudySpec&, const std::vector<kernel::ProtectedFile>& protect,
                        const std::string& run_folder, const kernel::JobOutcome&);

}  // namespace session
