#pragma once
// Where anyone waits for news: says that events were committed, not which; those are read from the store. Beside them,
// what models are saying just now. Thread-safe.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "apps/session/watch/live_model_text.h"

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
  /// A model says some more.
  void say(const std::string& study, const std::string& line, std::string_view text) {
    {
      const std::lock_guard lock(mutex_);
      live_text_.say(study, line, text);
    }
    changed_.notify_all();
  }
  const LiveModelText& live_text() const { return live_text_; }
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
  /// Until there is news beyond `seen`, the feed is closed, or that long. True: there is news. `heard`: so is what a
  /// model says after that piece.
  bool wait(std::uint64_t seen, std::chrono::milliseconds longest, std::uint64_t heard = deaf) {
    std::unique_lock lock(mutex_);
    const auto news = [&] { return news_ > seen || live_text_.last() > heard; };
    changed_.wait_for(lock, longest, [&] { return closed_ || news(); });
    return news();
  }
  static constexpr std::uint64_t deaf = ~std::uint64_t{0};

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t news_ = 0;
  LiveModelText live_text_;
  bool closed_ = false;
};

}  // namespace session
