#pragma once
// What earlier runs of a study's commands took: of studies of the home, and of `etude try`. Reads only.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kernel/domain/event.h"
#include "kernel/outlook/prediction.h"

namespace session {

struct RunHistory {
  std::vector<kernel::RunTime> times;  ///< Cells as kernel::shown_cell has them.
  kernel::TimeBasis basis;
  double gap_s = 0;  ///< kernel::gap_between_jobs

  /// The basis for this plan: with the number of its cells that were never run.
  kernel::TimeBasis basis_for(const kernel::PlannedWork&) const;
};

/// Runs on the code as it is now, if there are any; or else on other code. At most the newest five studies. Of tries,
/// only those of cells that no study ran.
RunHistory run_history(const std::string& home, const kernel::StudySpec&);

/// For StudyOpened::peaks: the peak memory of runs in at most five earlier studies, the newest with the same commands,
/// code and data.
std::vector<kernel::EarlierPeak> earlier_peaks(const std::string& home, const kernel::StudyOpened&);

/// How long the runs of an experiment were expected to take when it began, and how long they took.
struct ExperimentTime {
  std::string experiment;
  int runs = 0;
  kernel::TimeBasis basis;  ///< What had ended before: the study's own runs, and those of earlier studies.
  std::optional<kernel::Expected> wall_s;  ///< None if nothing had.
  std::optional<double> took_s;            ///< From the first start to the last end; none while runs are left.
};

/// Of every experiment with runs, oldest first; computed anew, with the study's `-j`, from its runs before the
/// experiment and from those of studies that were opened before it, with the same commands and the same code.
std::vector<ExperimentTime> experiment_times(const std::string& home, const std::string& study);

/// The same: [{"experiment","runs","basis":null|text,"wall_s":null|{"expected","low","high"},"took_s":null|number}].
nlohmann::json predictions_shape(const std::string& home, const std::string& study);

}  // namespace session
