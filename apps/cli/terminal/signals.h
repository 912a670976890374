#pragma once
// Signals while a study is followed: the first SIGINT asks for an orderly end; a second one, SIGTERM or SIGHUP ask to
// leave at once. A process without a terminal ignores SIGHUP.

#include <csignal>
#include <functional>
#include <thread>

namespace cli {

/// Blocks those signals for all threads but the waiting one. Call it before any thread starts.
void hold_signals();

/// The next of those signals ends the process, as usual.
void release_signals();

/// What the end of the terminal does.
enum class Hangup { leaves, is_ignored };

/// Waits for signals on a thread of its own during its lifetime.
class SignalWatch {
 public:
  SignalWatch(std::function<void()> interrupt, std::function<void()> leave, Hangup = Hangup::leaves);
  ~SignalWatch();

 private:
  std::thread thread_;
};

}  // namespace cli
