#pragma once
// Jobs that wait until another job of their study ends. A study's jobs have run folders in the same folder.

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/job_spec.h"

namespace executors {

/// The folder in which a study's run folders are.
std::string_view study_folder(const kernel::JobSpec&);

class Turns {
 public:
  /// The job waits until fewer than `below` jobs of its study run, after those that wait already.
  void wait(kernel::JobSpec, int below);
  bool empty() const { return waiting_.empty(); }
  /// Takes the first job whose turn it is; none if it is nobody's. `running`: how many jobs with this study folder run.
  std::optional<kernel::JobSpec> next(const std::function<int(std::string_view study_folder)>& running);
  /// Takes the job of this run, so that it never starts; none if it does not wait.
  std::optional<kernel::JobSpec> withdraw(const std::string& run);
  /// Takes all jobs of a study, the last first.
  std::vector<kernel::JobSpec> withdraw_all(std::string_view study_folder);

 private:
  struct Waiting {
    kernel::JobSpec job;
    int below = 0;
  };
  kernel::JobSpec take(std::deque<Waiting>::iterator);

  std::deque<Waiting> waiting_;
};

}  // namespace executors
