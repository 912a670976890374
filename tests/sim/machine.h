#pragma once
// The machine on which jobs run, and its supervisors: they outlive kernels, not power cuts. It knows what really
// happened to each launch, and demands what any machine demands: one process for one run, and each device for one job.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/loop/admission.h"
#include "kernel/loop/executor.h"
#include "kernel/loop/inbox.h"
#include "tests/sim/core.h"
#include "tests/sim/rates.h"

namespace sim {

/// What a job leaves and measures; the same for equal jobs.
kernel::ReportEnd truth_of(const kernel::JobSpec&);
/// What a job of that digest draws; empty if it draws nothing.
std::string figure_of(const std::string& output_digest);

/// The name of the stage that sets up the environment.
inline constexpr const char* setup_stage = "setup";

/// A launch and what became of it.
struct Launch {
  enum class Stage { spawned, running, ended, voided, vanished };
  kernel::JobSpec spec;
  Stage stage = Stage::spawned;
  kernel::ReportEnd report;          ///< Once it ended, was voided or vanished.
  bool ran = false;                  ///< A process claimed it.
  int watcher = 0;                   ///< The kernel that is told.
  std::int64_t memory_until_ms = 0;  ///< Its devices' memory is not free before.
  bool folder = false;               ///< Its run folder names its devices: until its end is recorded, or a power cut.
  bool noted = false;                ///< A kernel saw its end, and no kernel has seen its devices free since.
  int awaited_by = 0;                ///< The kernel that waits for its devices.
  int guarded_by = 0;                ///< The kernel that does not work on its study and waits for its end.
  int below = 0;                     ///< It waited until fewer than so many jobs of its study ran; 0: it did not.
  int killed = 0;                    ///< How often it was told to end.
  std::int64_t ran_at_ms = 0;
};

class Machine {
 public:
  Machine(Core&, const Rates&);

  /// The executor of the next kernel, which gets its messages by `post`.
  std::unique_ptr<kernel::Executor> executor(std::function<void(kernel::LoopMessage)> post,
                                             std::function<void(const char*)> maybe_die);
  /// The kernel is gone; jobs go on.
  void kernel_died() {
    post_ = nullptr;
    turns_.clear();
  }
  /// The end of the launch is recorded, and its run folder is deleted.
  void discard(const kernel::LaunchToken&);
  void power_cut();
  /// These launches count as if they had never run.
  void forget(const std::function<bool(const Launch&)>& which);
  /// The number of the newest kernel.
  int kernels() const { return kernels_; }

  /// The launch under that token; null if there was none.
  const Launch* launch(const kernel::LaunchToken&) const;
  /// Processes that were started for the study, ever.
  int ran(const std::string& study) const;
  /// Devices times hours of the study's jobs that came to an end.
  double device_hours(const std::string& study) const;
  kernel::Machine sizes;
  std::set<std::string> failing;    ///< Hashes of code that fails whenever it runs.
  std::set<std::string> installed;  ///< Keys of the set-ups whose results the home has.
  /// The key of the study's set-up as it is now.
  std::function<std::string(const std::string& study)> setup_key;
  /// Keeps a blob that a job left.
  std::function<void(std::string_view)> keep;
  /// Called before a launch: whether the log holds the intent to launch it, and nothing that ended it.
  std::function<void(const kernel::JobSpec&, const char* how)> intended;

 private:
  class Front;
  void start(const kernel::JobSpec&, int below = 0);
  void take_turns();
  void withdraw(const std::function<bool(const kernel::JobSpec&)>& which);
  int at_work(const std::string& study) const;
  void adopt(const kernel::JobSpec&);
  void cancel(const std::string& run);
  void claim(const std::string& token);
  void finish(const std::string& token, kernel::ReportEnd);
  void void_launch(Launch&, kernel::Reason why);
  void hear(const std::string& token);
  void deliver(const std::string& token);
  void await_devices(const std::string& token);
  void guard_devices(const std::string& token);
  /// What goes wrong with a job that runs, by chance; returns whether something did.
  bool goes_wrong(const kernel::JobSpec&, kernel::ReportEnd&);
  void tell(const Launch&, kernel::LoopMessage);
  void demand_devices(const Launch&) const;

  Core& core_;
  const Rates& rates_;
  std::map<std::string, Launch> launches_;              ///< By token.
  std::vector<std::pair<kernel::JobSpec, int>> turns_;  ///< Jobs that start when another ends, and below how many.
  std::map<std::string, double> device_hours_;
  std::function<void(kernel::LoopMessage)> post_;
  std::function<void(const char*)> maybe_die_;
  int kernels_ = 0;
};

}  // namespace sim
