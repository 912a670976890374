#pragma once
// The text that models are writing at the moment, in pieces, for live views. Only the newest text is kept, and nothing
// is stored. A slow reader loses text and nothing else; a writer never waits for readers. Thread-safe.

#include <algorithm>
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
    std::reverse(list.begin(), list.end());
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

}  // namespace session
