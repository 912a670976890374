#pragma once
// What became of a launch whose launcher may be gone, found out without ever letting a job start twice. Knows nothing
// of threads or events; every answer but `unclear` is final or says whom to watch.

#include <string>

#include "executors/local/run_folder.h"
#include "kernel/domain/job_spec.h"

namespace executors {

struct Standing {
  enum class Kind {
    ended,    ///< `outcome` says how; also `voided` and `lost`.
    running,  ///< Under the supervisor of `claim`.
    unclear,  ///< Ask again soon: somebody is between two steps.
  } kind = Kind::unclear;
  kernel::JobOutcome outcome;
  Claim claim;  ///< Empty where there is none, or none of this launch.
};

/// Voids the launch if nobody has claimed it. Declares it lost if whoever claimed it is gone without an outcome, after
/// killing every process that carries its token.
Standing find_out(const kernel::JobSpec&);

/// Ends a launch that nobody answers for: voided if it has not begun; else its supervisor and what carries its token
/// are killed. False where something of it would not die. Precondition: no kernel knows its token.
bool end_stray(const std::string& folder);

}  // namespace executors
