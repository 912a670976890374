#include "apps/cli/work/one_job.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <future>

#include <fmt/format.h>
#include <unistd.h>

#include "apps/cli/terminal/command_context.h"
#include "executors/harvest/captured_log.h"
#include "executors/local/local_executor.h"

namespace cli {

namespace {

/// Copies the job's output so far to the terminal.
class LogTail {
 public:
  explicit LogTail(std::string folder) : folder_(std::move(folder)) {}
  void show() {
    for (const auto& [stream, file, seen] :
         {std::tuple(executors::Stream::out, stdout, &out_), {executors::Stream::err, stderr, &err_}}) {
      const std::uint64_t length = executors::log_extent(folder_, stream).length;
      if (length <= *seen) continue;
      fmt::print(file, "{}", printable(executors::read_log(folder_, stream, *seen, length - *seen)));
      std::fflush(file);
      *seen = length;
    }
  }

 private:
  std::string folder_;
  std::uint64_t out_ = 0, err_ = 0;
};

/// Whether a signal asks to leave. Precondition: the signals are blocked.
bool told_to_leave() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  const timespec at_once{0, 0};
  return sigtimedwait(&set, nullptr, &at_once) > 0;
}

}  // namespace

kernel::ScratchFolder scratch_in(const std::string& root) {
  std::filesystem::create_directories(root);
  kernel::ScratchFolder folder(root + "/");
  if (!folder) throw std::runtime_error("cannot make a folder in " + root);
  return folder;
}

std::optional<kernel::JobOutcome> run_job(const kernel::JobSpec& job, bool show_log) {
  std::promise<kernel::JobOutcome> promise;
  std::future<kernel::JobOutcome> ended = promise.get_future();
  executors::LocalExecutor executor(
      {[](const kernel::JobStarted&) {}, [&](const kernel::JobOutcome& outcome) { promise.set_value(outcome); }});
  executor.start(job);
  LogTail log(job.folder);
  bool leaving = false;
  while (ended.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    if (show_log) log.show();
    if (leaving || !told_to_leave()) continue;
    leaving = true;
    executor.cancel(job.run);
  }
  if (show_log) log.show();
  if (leaving) return std::nullopt;
  kernel::JobOutcome outcome = ended.get();
  // A try does not own the home, so a kernel may run other jobs at the same time.
  if (outcome.usage.energy) outcome.usage.energy->exclusive = false;
  return outcome;
}

}  // namespace cli
