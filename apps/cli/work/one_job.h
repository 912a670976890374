#pragma once
// One job by itself, beside whatever kernel owns the home: it is in no study and leaves nothing.

#include <optional>
#include <string>

#include "kernel/domain/job_spec.h"

namespace cli {

/// A run folder that goes away with the attempt.
struct ScratchFolder {
  std::string path;
  explicit ScratchFolder(const std::string& root);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
};

/// Nothing when a signal ended it: the job is cancelled then, and its whole tree is dead. Precondition: the signals are
/// held.
std::optional<kernel::JobOutcome> run_job(const kernel::JobSpec&, bool show_log);

}  // namespace cli
