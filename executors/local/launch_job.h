#pragma once
// Launches a job under a supervisor: chooses the isolation, writes the run folder and starts the process, or leaves the
// start to another machine. One thread uses it; it blocks only on the disk and on a fork.

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "executors/local/job_environment.h"
#include "executors/local/run_devices.h"
#include "executors/local/supervisor_process.h"
#include "executors/run_protocol/job_file.h"
#include "executors/run_protocol/small_files.h"
#include "executors/sandbox/sandbox.h"
#include "kernel/domain/job_spec.h"

namespace executors {

/// Processes and threads that one job may have at once: far more than a program needs to use every core several times
/// over, and far fewer than the machine's limit.
constexpr std::int64_t most_processes(int cores) {
  return 4096 + 256 * std::int64_t{cores};
}

/// A supervisor as this process holds it.
struct HeldSupervisor {
  supervisor::Fd pidfd;  ///< Empty on kernels without pidfds.
  supervisor::Fd line;   ///< What it says (run_protocol/resident_messages.h), and its end when it has left.
  /// If it sees sealed devices: how often the machine's mounts had changed before. It runs no job without a sandbox,
  /// and none after a change.
  std::optional<int> sealed{};
};

/// A started supervisor: a child of this process or of the resident, or one that has run other jobs before.
struct Launch {
  HeldSupervisor held;
  int child = -1;                ///< Its number, if it is a child of this process.
  bool reused = false;           ///< It ran another job before.
  std::optional<GpuMeter> gpus;  ///< Begun, if the job has devices.
};

/// Why there was no launch.
struct Unlaunched {
  kernel::Reason why;
  bool no_room = false;  ///< The disk is full; the job itself is not at fault.
};

class JobLauncher {
 public:
  explicit JobLauncher(const std::string& supervisor)
      : supervisor_(supervisor),
        cores_(usable_cores()),
        resident_(supervisor, false),
        sealed_resident_(supervisor, true) {}

  /// The launch, or the reason why there is none. Takes one of `waiting`, supervisors that wait for a run folder, if
  /// there is a suitable one.
  std::variant<Launch, Unlaunched> launch(const kernel::JobSpec&, std::vector<HeldSupervisor>& waiting);
  /// Starts a new supervisor for a run folder that is written.
  std::variant<Launch, Unlaunched> begin(const std::string& folder, bool sealed);
  /// Writes the run folder of a job that a supervisor on another machine will run, which has the same programs. The
  /// reason if that is not possible. The job's devices are those that its scheduler gives it there.
  std::optional<Unlaunched> write_elsewhere(const kernel::JobSpec&);
  /// The driver's library, opened at the first call.
  const Nvml& nvml();

 private:
  /// What holds a job on this machine.
  struct Walls {
    std::optional<Unlaunched> none{};           ///< Why it is not launched.
    std::optional<kernel::JobSpec> confined{};  ///< The job without a sandbox, which nothing here can make.
  };
  Walls walls_for(const kernel::JobSpec&);
  std::optional<Unlaunched> write(const kernel::JobSpec&, const std::vector<Gpu>&, bool confined, bool elsewhere);
  int changes_of_mounts();
  supervisor::Job make_job(const kernel::JobSpec&, const std::string& bwrap, const std::vector<Gpu>&, bool confined,
                           bool elsewhere);
  supervisor::Job make_evaluation(const kernel::JobSpec&, const supervisor::Job&, const JobPlaces&,
                                  const std::vector<Gpu>&, int port, bool confined);

  std::string supervisor_;
  int cores_;  ///< Asked once: the answer is spread over many files.
  Resident resident_, sealed_resident_;
  supervisor::Fd mounts_;  ///< Reports each change of the mounts once, from the first sealed supervisor on.
  int changes_ = 0;
  SystemFiles system_, system_elsewhere_{OfMachine::another};
  JobPorts ports_;
  std::unique_ptr<Nvml> nvml_;
  std::optional<SandboxProbe> probe_;  ///< Probed once, for the first job that needs it.
};

/// Path of etude-supervisor in the folder of the running program.
std::string supervisor_beside_us();

}  // namespace executors
