#pragma once
// The newest events as streams send them, read and rendered once for all clients. A client that is further behind reads
// the store itself. Thread-safe.

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/session/watch/feed.h"
#include "memory/store/reader.h"

namespace server {

/// One event as it is sent. `scratch`: of its study, as for session::event_shape.
std::string rendered(const kernel::StoredEvent&, std::set<int>& scratch);

class EventCache {
 public:
  /// The feed must outlive it.
  EventCache(std::string home, session::Feed& feed) : home_(std::move(home)), feed_(feed) {}

  struct Piece {
    std::string text;        ///< All new events, one after the other.
    std::int64_t until = 0;  ///< The last event that was considered.
  };
  /// The events after `after`, of one study or, if `study` is empty, of all; at most about `longest` bytes. None if the
  /// cache does not go back so far.
  std::optional<Piece> after(std::int64_t after, const std::string& study, std::size_t longest);

 private:
  struct Line {
    std::int64_t seq;
    std::string study, text;
  };
  void catch_up();

  const std::string home_;
  session::Feed& feed_;
  std::mutex mutex_;
  std::unique_ptr<memory::Reader> reader_;
  std::deque<Line> lines_;
  std::size_t bytes_ = 0;
  std::int64_t floor_ = 0;  ///< It has all events after this one…
  std::int64_t last_ = 0;   ///< …up to this one.
  std::uint64_t read_ = 0;  ///< The count of news up to which the log has been read.
  std::map<std::string, std::set<int>> scratch_;
};

}  // namespace server
