#pragma once
// The one way into the kernel thread. Any thread posts; the kernel thread alone takes.

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace kernel {

/// Told once, on the kernel thread: what became of a command, once its events are durable.
using Answer = std::function<void(const Outcome&)>;

/// A command whose sender waits to hear what became of it.
struct Request {
  Command command;
  Answer answer;
  std::vector<Command> then = {};  ///< Each decided only if those before were followed, and stored with them.
};
/// A look at a study as it is now; null: the loop does not have it. On the kernel thread, so it should be quick.
struct Inspect {
  std::string study;
  std::function<void(const Study*)> look;
};
/// A study that is not in the loop, folded from the store, and the command that goes on with it. Of one that is in the
/// loop already only the command counts.
struct TakeUp {
  Study study;
  Command command;
  Answer answer;
  std::optional<Command> first = {};  ///< Goes before the command where nobody had the study in hand.
  bool only_recorded = false;         ///< Where nobody has the study in hand, the command is recorded and nothing else.
};
/// A dead run's devices are free again.
struct DevicesFreed {
  std::string run;
};
/// What has just been committed is the last that the disk has room for.
struct DiskFull {
  std::string what;
};
/// End now; jobs go on under their supervisors.
struct Leave {};
/// Something outside the kernel thread broke that the kernel cannot do without (a store that takes no more bytes).
struct Fault {
  std::string what;
};
using Message = std::variant<Command, Request, Inspect, TakeUp, DevicesFreed, DiskFull, Leave, Fault>;

/// How long messages waited for the kernel thread, in milliseconds: of the last times that it took some (at most
/// 1,024), the one that had waited longest. All 0 where it has taken none.
struct Delays {
  double median_ms = 0;
  double p99_ms = 0;
  double worst_ms = 0;
  std::size_t of = 0;
};

class Inbox {
 public:
  void post(Message message) {
    {
      const std::lock_guard lock(mutex_);
      if (messages_.empty()) first_ = Clock::now();
      messages_.push_back(std::move(message));
    }
    arrived_.notify_one();
  }
  /// Blocks until there is one, or for as long as `most_ms` says if that is above 0; takes all there are.
  std::vector<Message> take(std::int64_t most_ms = 0) {
    std::unique_lock lock(mutex_);
    const auto some = [&] { return !messages_.empty(); };
    if (most_ms > 0)
      arrived_.wait_for(lock, std::chrono::milliseconds(most_ms), some);
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
    std::sort(of.begin(), of.end());
    const auto at = [&](std::size_t percent) { return of[(of.size() - 1) * percent / 100]; };
    return {at(50), at(99), of.back(), of.size()};
  }

 private:
  using Clock = std::chrono::steady_clock;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Message> messages_;
  Clock::time_point first_;  ///< When the oldest of the messages came.
  std::array<float, 1024> waited_ms_{};
  std::size_t taken_ = 0;
};

}  // namespace kernel
