#pragma once
// Real jobs in temporary run folders, and what an executor said about them.

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/loop/executor.h"
#include "kernel/wording/wording.h"

namespace test {

/// Removed with everything in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void write(const std::string& path, const std::string& text);
std::string read(const std::string& path);
bool exists(const std::string& path);
void run_to_end(const std::vector<std::string>& argv);
/// Waits until it holds; whether it does before a busy machine has had time for it many times over.
bool eventually(const std::function<bool()>& holds);
/// Processes whose command line has this word in it.
int processes_with(const std::string& word);
/// A word no other process has in its command line.
std::string unique_word();

/// False on a machine that has no sandbox: says so, and the test that asked is skipped by name.
bool has_sandbox();

/// An executor with its listener, and jobs named by their run.
class Bench {
 public:
  using Maker = std::function<std::unique_ptr<kernel::Executor>(kernel::JobListener)>;
  Bench();  ///< The local executor.
  explicit Bench(Maker);
  ~Bench();

  /// A job in a run folder of its own, with an empty workspace and no limits.
  kernel::JobSpec job(const std::string& run, const std::string& shell_command) const;
  void start(const kernel::JobSpec& spec) { executor_->start(spec); }
  void start_in_turn(const kernel::JobSpec& spec, int below) { executor_->start_in_turn(spec, below); }
  void withdraw(const std::string& study_folder) { executor_->withdraw(study_folder); }
  void adopt(const kernel::JobSpec& spec) { executor_->adopt(spec); }
  void cancel(const std::string& run) { executor_->cancel(run); }
  /// By launch: the end of the run folder's path.
  std::map<std::string, std::vector<std::string>> held_devices() { return executor_->held_devices(folder_ / "home"); }
  bool has_freed(const std::string& launch);
  /// What the executor said of waiting, in order.
  std::vector<std::string> waits();
  /// The reasons for which devices were not freed in time.
  std::vector<kernel::Reason> held();
  /// Drops the executor as a dying kernel would, and makes a new one that knows nothing.
  void replace_executor();

  /// Fails the test where it does not come.
  kernel::JobOutcome outcome(const std::string& run);
  kernel::JobStarted started(const std::string& run);
  bool has_started(const std::string& run);
  bool has_ended(const std::string& run);
  kernel::JobOutcome run(const std::string& name, const std::string& shell_command);
  kernel::JobOutcome run(const kernel::JobSpec& spec);
  /// A job that must time out, but not before it has come as far as the test needs: with a time-out that is doubled
  /// from one run to the next until `far_enough` says that it has.
  kernel::JobOutcome timed_out(kernel::JobSpec spec, const std::function<bool(const kernel::JobOutcome&)>& far_enough);

  const Folder& folder() const { return folder_; }

 private:
  Folder folder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<std::string, kernel::JobOutcome> ended_;
  std::map<std::string, kernel::JobStarted> started_;
  std::set<std::string> freed_;
  std::vector<std::string> waits_;
  std::vector<kernel::Reason> held_;
  Maker make_;
  std::unique_ptr<kernel::Executor> executor_;
};

/// What the job printed.
std::string output_of(const kernel::JobSpec& spec);
std::string errors_of(const kernel::JobSpec& spec);

/// One NUL-terminated job file, for supervisors started by hand.
std::string job_text(const std::vector<std::pair<std::string, std::string>>& keys);
/// Runs a supervisor to its end and returns its exit status.
int supervise(const std::string& folder);
int spawn_supervisor(const std::string& folder);
int wait_for(int pid);

}  // namespace test
