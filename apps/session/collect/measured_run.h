#pragma once
// Measures what a dead job left in its run folder. Bounded reads; stores nothing.

#include <string>
#include <vector>

#include "executors/backend/backend.h"
#include "kernel/domain/job_spec.h"
#include "kernel/measure/measure.h"
#include "memory/workspace/evaluator_files.h"

namespace session {

/// What must be unchanged since the study was prepared. Borrows all of it.
struct Untouched {
  const std::vector<kernel::ProtectedFile>& protect;
  const std::vector<kernel::SealedData>& sealed;
  memory::EvaluatorDataWatch& watch;
};

struct MeasuredRun {
  kernel::Measured measured;
  std::string out, err;  ///< The job's kept logs, with a line where text was left out.
  std::string evaluator_out, evaluator_err;

  /// The output of both steps under headings, or the job's alone if the evaluator printed nothing.
  std::string whole_out() const;
  std::string whole_err() const;
};

/// A run whose evaluator failed has failed; one that changed a protected file, or was evaluated by data that are not
/// what was sealed, is invalid, whatever it measured.
MeasuredRun measure_run(const kernel::StudySpec&, const Untouched&, const executors::Harvest&,
                        const kernel::JobOutcome&);

}  // namespace session
