#pragma once
// The only way into the kernel thread. Any thread posts; only the kernel thread takes.

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace kernel {

/// Called once, on the kernel thread, with the outcome of a command after its events are durable.
using Answer = std::function<void(const CommandOutcome&)>;

/// A command whose sender waits for its outcome.
struct CommandRequest {
  Command command;
  Answer answer;
  std::vector<Command> then = {};  ///< Each is decided only if those before were followed, and stored with them.
};
/// Calls `look` with the study, or null if the loop does not have it. Runs on the kernel thread, so it must be quick.
struct Inspect {
  std::string study;
  std::function<void(const Study*)> look;
};
/// A study that is not in the loop, folded from the store, and the command that continues it. If the loop has the study
/// already, only the command counts.
struct ContinueStudy {
  Study study;
  Command command;
  Answer answer;
  std::optional<Command> first = {};  ///< Decided before the command if the study is new to the loop.
  bool only_recorded = false;         ///< If the study is not in the loop, only records the command.
};
/// The devices of a dead run are free again.
struct DevicesFreed {
  std::string launch;  ///< STUDY/LAUNCH
};
/// The devices of a dead run are not free after the longest wait.
struct DevicesHeld {
  Reason why;
};
/// The disk has no room after the last commit, so nothing new may start.
struct DiskFull {
  Reason why;
};
/// The loop ends now; jobs continue under their supervisors.
struct Leave {};
/// A fault outside the kernel thread that stops the kernel, such as a store that takes no more bytes.
struct Fault {
  std::string what;
};
using LoopMessage =
    std::variant<Command, CommandRequest, Inspect, ContinueStudy, DevicesFreed, DevicesHeld, DiskFull, Leave, Fault>;

/// Delays of messages before the kernel thread took them, in milliseconds: the longest wait of each of the last takes
/// (at most 1,024). All 0 if there were none.
struct Delays {
  double median_ms = 0;
  double p99_ms = 0;
  double worst_ms = 0;
  std::size_t of = 0;
};

class Inbox {
 public:
  void post(LoopMessage message) {
    {
      const std::lock_guard lock(mutex_);
      if (messages_.empty()) first_ = Clock::now();
      messages_.push_back(std::move(message));
    }
    arrived_.notify_one();
  }
  /// Blocks until there is a message, or for at most `most_ms`; takes all messages.
  std::vector<LoopMessage> take(std::optional<std::int64_t> most_ms = {}) {
    std::unique_lock lock(mutex_);
    const auto some = [&] { return !messages_.empty(); };
    if (most_ms)
      arrived_.wait_for(lock, std::chrono::milliseconds(*most_ms), some);
    else
      arrived_.wait(lock, some);
    if (some())
      waited_ms_[taken_++ % waited_ms_.size()] =
          std::chrono::duration<float, std::milli>(Clock::now() - first_).count();
    return std::exchange(messages_, {});
  }
  Delays delays() const {
    std::vector<float> of;
    {
      const std::lock_guard lock(mutex_);
      of.assign(waited_ms_.begin(),
                waited_ms_.begin() + static_cast<std::ptrdiff_t>(std::min(taken_, waited_ms_.size())));
    }
    if (of.empty()) return {};
    std::ranges::sort(of);
    const auto at = [&](std::size_t percent) { return of[(of.size() - 1) * percent / 100]; };
    return {at(50), at(99), of.back(), of.size()};
  }

 private:
  using Clock = std::chrono::steady_clock;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<LoopMessage> messages_;
  Clock::time_point first_;  ///< When the oldest of the messages was posted.
  std::array<float, 1024> waited_ms_{};
  std::size_t taken_ = 0;
};

}  // namespace kernel
