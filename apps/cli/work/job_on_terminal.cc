#include "apps/cli/work/job_on_terminal.h"

#include <csignal>

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

std::optional<kernel::JobOutcome> run_job(const executors::Backend& backend, const kernel::JobSpec& job, bool show_log,
                                          session::Begin begin) {
  LogTail log(backend.harvest(job.folder));
  const auto outcome = session::run_job(
      backend, job,
      [&] {
        if (show_log) log.show();
        return !told_to_leave();
      },
      begin);
  if (show_log) log.show();
  return outcome;
}

}  // namespace cli
