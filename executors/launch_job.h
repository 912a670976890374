#pragma once
// From a JobSpec to a supervisor at work: decides the isolation, writes the run folder, starts the process. One thread
// uses it; waits for nothing but the disk.

#include <optional>
#include <string>
#include <variant>

#include "executors/sandbox.h"
#include "executors/supervisor/job.h"
#include "executors/supervisor/text.h"
#include "kernel/executor.h"

namespace executors {

/// A supervisor we started: our child until we leave.
struct Launch {
  int pid = -1;
  supervisor::Fd pidfd;
  supervisor::Fd notify;  ///< Reads `launched MS` once the command runs, and its end when the supervisor has left.
};

class JobLauncher {
 public:
  explicit JobLauncher(std::string supervisor) : supervisor_(std::move(supervisor)) {}

  /// The launch, or one line that says why there is none.
  std::variant<Launch, std::string> launch(const kernel::JobSpec&);

 private:
  supervisor::Job make_job(const kernel::JobSpec&, const std::string& bwrap) const;

  std::string supervisor_;
  std::optional<SandboxProbe> probe_;  ///< Asked once, when the first job needs it.
};

/// etude-supervisor in the folder of the running program.
std::string supervisor_beside_us();

}  // namespace executors
