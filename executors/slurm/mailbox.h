#pragma once
// Tasks for one thread, which other threads put there and it takes. Owned together by all of them, since a thread that
// asks Slurm may outlast the one that it answers.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "executors/run_protocol/small_files.h"

namespace executors {

class Mailbox {
 public:
  void put(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }
  /// All tasks, at the latest at this time of boot_ms.
  std::deque<std::function<void()>> take(std::int64_t until) {
    std::unique_lock lock(mutex_);
    const std::int64_t left = std::max<std::int64_t>(0, until - supervisor::boot_ms());
    changed_.wait_for(lock, std::chrono::milliseconds(std::min<std::int64_t>(left, 3'600'000)),
                      [this] { return !tasks_.empty(); });
    return std::exchange(tasks_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
};

}  // namespace executors
