#pragma once
// A thread that processes items in the order in which they were added. Declare it last among a class's members: its
// work may use all others, and must end before they do.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

namespace session {

/// What happens to waiting items when the thread is told to stop.
enum class Rest { dropped, done };
/// `yielding`: other threads of this process come first.
enum class Pace { usual, yielding };

template <class Item>
class WorkThread {
 public:
  /// `work` runs on the thread; an exception from it ends the program.
  WorkThread(Rest rest, std::function<void(const Item&)> work, Pace pace = Pace::usual)
      : rest_(rest), work_(std::move(work)), thread_([this, pace] {
          // Linux has a priority for each thread. Where it is refused, the thread only works sooner.
          if (pace == Pace::yielding) setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10);
          run();
        }) {}
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;
  /// Waits for the present item, and for the waiting ones if they are to be done.
  ~WorkThread() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  /// Any thread.
  void add(Item item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
    }
    changed_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !items_.empty(); });
      if (items_.empty() || (stopping_ && rest_ == Rest::dropped)) return;
      const Item item = std::move(items_.front());
      items_.pop_front();
      lock.unlock();
      work_(item);
    }
  }

  const Rest rest_;
  const std::function<void(const Item&)> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace session
