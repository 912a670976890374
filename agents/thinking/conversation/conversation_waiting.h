#pragma once
// How a conversation waits for what other threads tell it, and how they tell it to stop. Knows nothing of what is said.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "kernel/loop/inbox.h"

namespace agents {

/// Thrown by a wait: the conversation was told to stop.
struct Stopped {};

/// What other threads want of a conversation. Shared with those that still have something to tell, for it may be gone
/// by then.
struct Signal {
  std::mutex mutex;
  std::condition_variable changed;
  bool stopped = false, over = false, again = false;
  std::function<void()> cancel;  ///< Of what is being asked.
  bool is_stopped() {
    const std::lock_guard lock(mutex);
    return stopped;
  }
};

/// Something that another thread will tell, once; guarded by the signal's mutex.
template <typename T>
struct Said {
  std::optional<T> value;
};

/// What the other thread calls with it.
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

/// Blocks until it was told. Throws Stopped.
template <typename T>
T wait_for(const std::shared_ptr<Said<T>>& said, Signal& signal) {
  std::unique_lock lock(signal.mutex);
  signal.changed.wait(lock, [&] { return signal.stopped || said->value; });
  if (!said->value) throw Stopped{};
  return std::move(*said->value);
}

/// Blocks until the kernel's thread has looked at the study as it is then. Throws Stopped, also where there is no such
/// study.
template <typename T>
T look_at(const std::string& study, std::function<T(const kernel::Study&)> look, kernel::Inbox& inbox,
          const std::shared_ptr<Signal>& signal) {
  const auto said = std::make_shared<Said<std::optional<T>>>();
  const auto tell = teller(said, signal);
  // Who destroys the conversation stops it first, on the thread that looks: from then on `look` may hold what is gone.
  inbox.post(kernel::Inspect{study, [tell, look, signal](const kernel::Study* seen) {
                               if (!signal->is_stopped()) tell(seen ? std::optional<T>(look(*seen)) : std::nullopt);
                             }});
  std::optional<T> seen = wait_for(said, *signal);
  if (!seen) throw Stopped{};
  return std::move(*seen);
}

}  // namespace agents
