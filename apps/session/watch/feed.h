#pragma once
// Tells waiting threads that events were committed, but not which; they read those from the store. Also passes on the
// text that models are writing. Thread-safe.

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
  /// Reports new events.
  void advance() {
    {
      const std::lock_guard lock(mutex_);
      ++news_;
    }
    changed_.notify_all();
  }
  /// Adds text that a model is writing.
  void say(const std::string& study, const std::string& line, std::string_view text) {
    {
      const std::lock_guard lock(mutex_);
      live_text_.say(study, line, text);
    }
    changed_.notify_all();
  }
  const LiveModelText& live_text() const { return live_text_; }
  /// Ends all waiting.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }
  /// The count of news so far. Take it before reading the store, and pass it to `wait`.
  std::uint64_t seen() const {
    const std::lock_guard lock(mutex_);
    return news_;
  }
  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  /// Waits until there is news beyond `seen`, the feed is closed, or `longest` has passed. Returns whether there is
  /// news. With `heard`, text of models after that piece counts as news too.
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
