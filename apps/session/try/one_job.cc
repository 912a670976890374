#include "apps/session/try/one_job.h"

#include <chrono>
#include <filesystem>
#include <future>
#include <stdexcept>

namespace session {

kernel::ScratchFolder scratch_in(const std::string& root) {
  std::filesystem::create_directories(root);
  kernel::ScratchFolder folder(root + "/");
  if (!folder) throw std::runtime_error("cannot make a folder in " + root);
  return folder;
}

std::optional<kernel::JobOutcome> run_job(const executors::Backend& backend, const kernel::JobSpec& job,
                                          const std::function<bool()>& goes_on, Begin begin) {
  std::promise<kernel::JobOutcome> promise;
  std::future<kernel::JobOutcome> ended = promise.get_future();
  const auto executor = backend.executor(
      {[](const kernel::JobStarted&) {}, [&](const kernel::JobOutcome& outcome) { promise.set_value(outcome); }});
  if (begin == Begin::follow)
    executor->adopt(job);
  else
    executor->start(job);
  bool leaving = false;
  while (ended.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    if (leaving || goes_on()) continue;
    leaving = true;
    executor->cancel(job.run);
  }
  if (leaving) return std::nullopt;
  kernel::JobOutcome outcome = ended.get();
  // Other jobs may run at the same time, by the kernel that owns the home.
  if (outcome.usage.energy) outcome.usage.energy->exclusive = false;
  return outcome;
}

}  // namespace session
