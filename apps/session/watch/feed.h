#pragma once
// News for processes that watch running studies: that events were committed (they read these from the store), and the
// text that models are writing, which is not stored. A slow reader loses only text; a writer never waits for readers.
// Thread-safe.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace session {

/// Part of a reply in a conversation.
struct Piece {
  std::uint64_t number = 0;  ///< Counts from 1.
  std::string study, line, text;
};

class LiveModelText {
 public:
  static constexpr std::size_t most_bytes = 256 << 10;  ///< Limit of the text that is kept.

  void say(const std::string& study, const std::string& line, std::string_view text) {
    const std::lock_guard lock(mutex_);
    ++last_;
    if (text.size() > most_bytes) return;
    pieces_.push_back({last_, study, line, std::string(text)});
    bytes_ += text.size() + overhead;
    while (bytes_ > most_bytes) {
      bytes_ -= pieces_.front().text.size() + overhead;
      pieces_.pop_front();
    }
  }
  /// The newest piece's number.
  std::uint64_t last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }
  /// The pieces after `after` that are still kept; of all studies if `study` is empty. `after` becomes the newest
  /// piece's number.
  std::vector<Piece> since(std::uint64_t& after, const std::string& study) const {
    const std::lock_guard lock(mutex_);
    std::vector<Piece> list;
    for (auto it = pieces_.rbegin(); it != pieces_.rend() && it->number > after; ++it)
      if (study.empty() || it->study == study) list.push_back(*it);
    std::ranges::reverse(list);
    after = last_;
    return list;
  }

 private:
  static constexpr std::size_t overhead = 128;

  mutable std::mutex mutex_;
  std::deque<Piece> pieces_;
  std::size_t bytes_ = 0;
  std::uint64_t last_ = 0;
};

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
