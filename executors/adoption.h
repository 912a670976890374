#pragma once
// What became of a launch whose launcher may be gone, found out without ever letting a job start twice. Knows nothing
// of threads or events; every answer but `unclear` is final or says whom to watch.

#include <string>

#include "executors/run_folder.h"
#include "kernel/executor.h"

namespace executors {

struct Standing {
  enum class Kind {
    ended,    ///< `outcome` says how; also `voided` and `lost`.
    running,  ///< Under `supervisor`.
    unclear,  ///< Ask again soon: somebody is between two steps.
  } kind = Kind::unclear;
  kernel::JobOutcome outcome;
  Supervisor supervisor;
};

/// Voids the launch if nobody has claimed it. Declares it lost if it was claimed, has no outcome and nobody holds its
/// lock, after killing every process that carries its token; `patient` leaves a claim that may be fresh `unclear`.
Standing find_out(const kernel::JobSpec&, bool patient);

}  // namespace executors
