#pragma once
// Where anyone waits for news: says that events were committed, not which; those are read from the store. Thread-safe.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace session {

class Feed {
 public:
  /// There are new events.
  void advance() {
    {
      const std::lock_guard lock(mutex_);
      ++news_;
    }
    changed_.notify_all();
  }
  /// Nobody is to wait any more.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }
  /// How much news there has been: what to give to `wait`, taken before the store is read.
  std::uint64_t seen() const {
    const std::lock_guard lock(mutex_);
    return news_;
  }
  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  /// Until there is news beyond `seen`, the feed is closed, or that long. True: there is news.
  bool wait(std::uint64_t seen, std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, longest, [&] { return closed_ || news_ > seen; });
    return news_ > seen;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t news_ = 0;
  bool closed_ = false;
};

}  // namespace session
