#pragma once
// Measures the outputs of an ended job in its run folder. Bounded reads; stores nothing.

#include <optional>
#include <string>
#include <vector>

#include "executors/backend/backend.h"
#include "kernel/domain/job_spec.h"
#include "kernel/measure/measure.h"
#include "memory/workspace/evaluator_files.h"

namespace session {

/// Files and data that must be unchanged since the study was prepared; borrowed.
struct Untouched {
  const std::vector<kernel::ProtectedFile>& protect;
  const std::vector<kernel::SealedData>& sealed;
  memory::EvaluatorDataWatch& watch;
};

struct MeasuredRun {
  kernel::Measured measured;
  std::string out, err;  ///< The job's kept logs, with a line where text was left out.
  std::string evaluator_out, evaluator_err;
  std::optional<executors::LineOrder> order, evaluator_order;  ///< Of the lines of both logs, if it is known.

  /// The output of both steps under headings, or the job's alone if the evaluator printed nothing.
  std::string whole_out() const;
  std::string whole_err() const;
  std::optional<executors::LineOrder> whole_order() const;
};

/// A run has failed if its evaluator failed. It is invalid, whatever it measured, if it changed a protected file, or if
/// the evaluator data are not those recorded when the study was prepared.
MeasuredRun measure_run(const kernel::StudySpec&, const Untouched&, const executors::Harvest&,
                        const kernel::JobOutcome&);

}  // namespace session
