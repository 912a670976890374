#include "apps/cli/run_session.h"

#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/ending.h"
#include "kernel/shapes.h"
#include "memory/reader.h"

namespace cli {

namespace {

sigset_t leaving_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGUSR2);
  return set;
}

/// Waits for signals while a session runs; SIGUSR2 from its own destructor ends it.
class SignalWatch {
 public:
  explicit SignalWatch(session::Session& session)
      : thread_([&session] {
          const sigset_t set = leaving_signals();
          int signal = 0;
          while (sigwait(&set, &signal) == 0 && signal != SIGUSR2) {
            if (signal != SIGINT)
              session.leave();
            else
              session.interrupt();
          }
        }) {}
  ~SignalWatch() {
    pthread_kill(thread_.native_handle(), SIGUSR2);
    thread_.join();
  }

 private:
  std::thread thread_;
};

int exit_code(const kernel::Study& study) {
  if (study.state == kernel::StudyState::paused) return study.pause_reason == "budget" ? budget : interrupted;
  if (study.state == kernel::StudyState::running) return interrupted;
  return study.outcome == kernel::StudyOutcome::concluded ? ok : wanting;
}

}  // namespace

void hold_signals() {
  const sigset_t set = leaving_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Rest run_quietly(session::Session& session, LiveView& view, const std::string& study) {
  {
    const SignalWatch watch(session);
    session.run();
  }
  view.finish();
  switch (exit_code(*session.study(study))) {
    case budget:
      return Rest::out_of_budget;
    case interrupted:
      return Rest::left;
    default:
      return Rest::ended;
  }
}

int run_to_rest(const Context& context, session::Session& session, LiveView& view,
                const std::vector<std::string>& studies) {
  {
    const SignalWatch watch(session);
    session.run();
  }
  view.finish();
  int code = ok;
  for (const std::string& id : studies) {
    const kernel::Study* study = session.study(id);
    code = std::max(code, exit_code(*study));
    const nlohmann::json shape = kernel::study_shape(*study, memory::Reader(context.home()).head(id));
    if (context.json)
      print_json_line(shape);
    else
      fmt::print("{}", ending_text(shape));
  }
  return code;
}

}  // namespace cli
