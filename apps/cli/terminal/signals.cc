#include "apps/cli/terminal/signals.h"

#include <utility>

#include <pthread.h>

namespace cli {

namespace {

sigset_t leaving_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR2}) sigaddset(&set, signal);
  return set;
}

}  // namespace

void hold_signals() {
  const sigset_t set = leaving_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void release_signals() {
  const sigset_t set = leaving_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

SignalWatch::SignalWatch(std::function<void()> interrupt, std::function<void()> leave, Hangup hangup)
    : thread_([interrupt = std::move(interrupt), leave = std::move(leave), hangup] {
        const sigset_t set = leaving_signals();
        bool asked = false;
        // The destructor sends SIGUSR2.
        for (int signal = 0; sigwait(&set, &signal) == 0 && signal != SIGUSR2;) {
          if (signal == SIGHUP && hangup == Hangup::is_ignored) continue;
          if (signal == SIGINT && !std::exchange(asked, true))
            interrupt();
          else
            leave();
        }
      }) {}

SignalWatch::~SignalWatch() {
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
}

}  // namespace cli
