#include "apps/cli/work/one_job.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <future>

#include <fmt/format.h>

#include "apps/cli/terminal/command_context.h"
#include "base/assert.h"

namespace cli {

namespace {

/// Copies the job's output so far to the terminal.
class LogTail {
 public:
  explicit LogTail(executors::Harvest harvest) : harvest_(std::move(harvest)) {}
  void show() {
    for (const auto& [stream, file, seen] :
         {std::tuple(executors::OutputStream::out, stdout, &out_), {executors::OutputStream::err, stderr, &err_}}) {
      const std::uint64_t length = harvest_.log_extent(stream).length;
      if (length <= *seen) continue;
      fmt::print(file, "{}", printable(harvest_.log(stream, *seen, length - *seen)));
      std::fflush(file);
      *seen = length;
    }
  }

 private:
  executors::Harvest harvest_;
  std::uint64_t out_ = 0, err_ = 0;
};

/// Whether a signal asks to leave. Precondition: the signals are blocked.
bool told_to_leave() {
  sigset_t set;
  pthread_sigmask(SIG_BLOCK, nullptr, &set);
  ETUDE_ASSERT(sigismember(&set, SIGINT) == 1 && sigismember(&set, SIGTERM) == 1);
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

std::optional<kernel::JobOutcome> run_job(const executors::Backend& backend, const kernel::JobSpec& job, bool show_log,
                                          Begin begin) {
  std::promise<kernel::JobOutcome> promise;
  std::future<kernel::JobOutcome> ended = promise.get_future();
  const auto executor = backend.executor(
      {[](const kernel::JobStarted&) {}, [&](const kernel::JobOutcome& outcome) { promise.set_value(outcome); }});
  if (begin == Begin::follow)
    executor->adopt(job);
  else
    executor->start(job);
  LogTail log(backend.harvest(job.folder));
  bool leaving = false;
  while (ended.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    if (show_log) log.show();
    if (leaving || !told_to_leave()) continue;
    leaving = true;
    executor->cancel(job.run);
  }
  if (show_log) log.show();
  if (leaving) return std::nullopt;
  kernel::JobOutcome outcome = ended.get();
  // A try does not own the home, so a kernel may run other jobs at the same time.
  if (outcome.usage.energy) outcome.usage.energy->exclusive = false;
  return outcome;
}

}  // namespace cli
