#pragma once
// How a conversation waits for results from other threads, and how these stop it.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "kernel/loop/inbox.h"

namespace agents {

/// Thrown by a wait if the conversation was stopped.
struct Stopped {};

/// Requests of other threads to a conversation. Shared with threads that still have a result for it, because the
/// conversation may be destroyed before.
struct Signal {
  std::mutex mutex;
  std::condition_variable changed;
  bool stopped = false, over = false, again = false;
  std::function<void()> cancel;  ///< Cancels the current call.
  bool is_stopped() {
    const std::lock_guard lock(mutex);
    return stopped;
  }
};

/// A result that another thread delivers once; guarded by the signal's mutex.
template <typename T>
struct Said {
  std::optional<T> value;
};

/// The function with which the other thread delivers the result.
template <typename T>
std::function<void(T)> teller(const std::shared_ptr<Said<T>>& said, const std::shared_ptr<Signal>& signal) {
  return [said, signal](T value) {
    {
      const std::lock_guard lock(signal->mutex);
      said->value.emplace(std::move(value));
    }
    signal->changed.notify_all();
  };
}

/// Blocks until the result is there. Throws Stopped.
template <typename T>
T wait_for(const std::shared_ptr<Said<T>>& said, Signal& signal) {
  std::unique_lock lock(signal.mutex);
  signal.changed.wait(lock, [&] { return signal.stopped || said->value; });
  if (!said->value) throw Stopped{};
  return std::move(*said->value);
}

/// Blocks until the kernel thread has called `look` with the study. Throws Stopped, also if there is no such study.
template <typename T>
T look_at(const std::string& study, std::function<T(const kernel::Study&)> look, kernel::Inbox& inbox,
          const std::shared_ptr<Signal>& signal) {
  const auto said = std::make_shared<Said<std::optional<T>>>();
  const auto tell = teller(said, signal);
  // The kernel thread stops a conversation before it destroys it; after that, `look` may refer to destroyed objects.
  inbox.post(kernel::Inspect{study, [tell, look, signal](const kernel::Study* seen) {
                               if (!signal->is_stopped()) tell(seen ? std::optional<T>(look(*seen)) : std::nullopt);
                             }});
  std::optional<T> seen = wait_for(said, *signal);
  if (!seen) throw Stopped{};
  return std::move(*seen);
}

}  // namespace agents
