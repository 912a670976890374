#pragma once
// How a line of work waits for what other threads say. Only for line*.cc.

#include <utility>

#include "agents/thinking/line.h"

namespace agents {

template <typename T>
std::function<void(T)> Line::teller(const std::shared_ptr<Said<T>>& said) {
  // Holds what it needs: the line may be gone by then.
  return [said, signal = signal_](T value) {
    {
      const std::lock_guard lock(signal->mutex);
      said->value.emplace(std::move(value));
    }
    signal->changed.notify_all();
  };
}

template <typename T>
T Line::wait_for(const std::shared_ptr<Said<T>>& said) {
  std::unique_lock lock(signal_->mutex);
  signal_->changed.wait(lock, [&] { return signal_->stopped || said->value; });
  if (!said->value) throw Stopped{};
  return std::move(*said->value);
}

template <typename T>
T Line::inspect(std::function<T(const kernel::Study&)> look) {
  const auto said = std::make_shared<Said<std::optional<T>>>();
  const auto tell = teller(said);
  // Who destroys the line stops it first, on the thread that looks: from then on `look` may hold what is gone.
  shared_->parts.inbox.post(kernel::Inspect{study_, [tell, look, signal = signal_](const kernel::Study* study) {
                                              if (!signal->is_stopped())
                                                tell(study ? std::optional<T>(look(*study)) : std::nullopt);
                                            }});
  std::optional<T> seen = wait_for(said);
  if (!seen) throw Stopped{};
  return std::move(*seen);
}

}  // namespace agents
