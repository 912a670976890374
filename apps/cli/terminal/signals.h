#pragma once
// What signals mean while a study is attended: the first SIGINT asks for an orderly end, a second one, SIGTERM or
// SIGHUP to leave at once.

#include <csignal>
#include <functional>
#include <thread>

namespace cli {

/// Keeps those signals for the thread that waits for them. Call before any thread starts.
void hold_signals();

/// Waits for signals while it lives, on a thread of its own.
class SignalWatch {
 public:
  SignalWatch(std::function<void()> interrupt, std::function<void()> leave);
  ~SignalWatch();

 private:
  std::thread thread_;
};

}  // namespace cli
