#pragma once
// From a JobSpec to a supervisor at work: decides the isolation, writes the run folder, starts the process. One thread
// uses it; waits for nothing but the disk, and for a fork.

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "executors/local/gpu_meter.h"
#include "executors/local/job_environment.h"
#include "executors/local/resident_client.h"
#include "executors/run_protocol/job_file.h"
#include "executors/run_protocol/small_files.h"
#include "executors/sandbox/sandbox.h"
#include "kernel/domain/job_spec.h"

namespace executors {

/// Processes and threads that one job may have at once: far more than a program makes that uses every core several
/// times over, and far fewer than a machine can bear.
constexpr std::int64_t most_processes(int cores) {
  return 4096 + 256 * std::int64_t{cores};
}

/// A supervisor we started: our child, or the resident's.
struct Launch {
  supervisor::Fd pidfd;
  std::optional<GpuMeter> gpus;  ///< Begun, for a job that has devices.
  supervisor::Fd notify;  ///< Reads `launched MS` once the command runs, and its end when the supervisor has left.
};

/// Why there is no launch.
struct Unlaunched {
  std::string why;
  bool no_room = false;  ///< The disk is full: nothing is wrong with the job.
};

class JobLauncher {
 public:
  explicit JobLauncher(const std::string& supervisor)
      : supervisor_(supervisor), resident_(supervisor, false), sealed_resident_(supervisor, true) {}

  /// The launch, or one line that says why there is none.
  std::variant<Launch, Unlaunched> launch(const kernel::JobSpec&);
  /// The driver, opened when it is first asked for.
  const Nvml& nvml();

 private:
  Resident::Answer start_alone(const std::string& folder, int notify) const;
  supervisor::Job make_job(const kernel::JobSpec&, const std::string& bwrap, const std::vector<Gpu>&);
  supervisor::Job make_evaluation(const kernel::JobSpec&, const supervisor::Job&, const JobPlaces&,
                                  const std::vector<Gpu>&);

  std::string supervisor_;
  Resident resident_, sealed_resident_;
  SystemFiles system_;
  std::unique_ptr<Nvml> nvml_;
  std::optional<SandboxProbe> probe_;  ///< Asked once, when the first job needs it.
};

/// etude-supervisor in the folder of the running program.
std::string supervisor_beside_us();

}  // namespace executors
