#include "executors/local/job_turns.h"

#include <algorithm>
#include <utility>

namespace executors {

std::string_view study_folder(const kernel::JobSpec& job) {
  const std::string_view folder = job.folder;
  return folder.substr(0, folder.rfind('/'));
}

void Turns::wait(kernel::JobSpec job, int below) {
  waiting_.push_back({std::move(job), below});
}

std::optional<kernel::JobSpec> Turns::next(const std::function<int(std::string_view)>& running) {
  const auto first =
      std::ranges::find_if(waiting_, [&](const Waiting& one) { return running(study_folder(one.job)) < one.below; });
  return first == waiting_.end() ? std::nullopt : std::optional(take(first));
}

std::optional<kernel::JobSpec> Turns::withdraw(const std::string& run) {
  const auto its = std::ranges::find_if(waiting_, [&](const Waiting& one) { return one.job.run == run; });
  return its == waiting_.end() ? std::nullopt : std::optional(take(its));
}

std::vector<kernel::JobSpec> Turns::withdraw_all(std::string_view folder) {
  std::vector<kernel::JobSpec> taken;
  for (auto one = waiting_.end(); one != waiting_.begin();) {
    --one;
    if (study_folder(one->job) != folder) continue;
    taken.push_back(std::move(one->job));
    one = waiting_.erase(one);
  }
  return taken;
}

kernel::JobSpec Turns::take(std::deque<Waiting>::iterator one) {
  kernel::JobSpec job = std::move(one->job);
  waiting_.erase(one);
  return job;
}

}  // namespace executors
