#pragma once
// What the server keeps so that many requests for the same cost little: the newest events as streams send them, the
// last study at an earlier moment, and the last reports of reproductions. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "apps/session/watch/feed.h"
#include "artifacts/transcripts/transcripts.h"
#include "memory/store/reader.h"

namespace server {

/// One event as it is sent. `scratch`: of its study, as for session::event_shape.
std::string rendered(const kernel::StoredEvent&, std::set<int>& scratch);

/// The newest events, read and rendered once for all clients. A client that is further behind reads the store itself.
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

/// Studies at an earlier moment, folded from their events. Keeps the last one, so that a later moment of it costs only
/// the events between.
class HistoryCache {
 public:
  struct View {
    const kernel::Study& study;
    const std::string& head;  ///< Head of the event chain at that moment.
    std::int64_t seq;         ///< `seq` of the last event at that moment; decisions are never cut in two.
  };

  explicit HistoryCache(std::string home) : home_(std::move(home)) {}
  /// Passes the study as it was after the event `at`. Returns false if it did not exist yet. Throws StoreFault if the
  /// chain is broken.
  bool show(const std::string& study, std::int64_t at, const std::function<void(const View&)>& see);

 private:
  const std::string home_;
  std::mutex mutex_;
  std::string study_;
  std::int64_t seq_ = 0;
  kernel::State state_;
  kernel::Chain chain_;
};

/// What the agents and models of a study said to each other. Keeps the last study that was asked for, so that only its
/// new events are read.
class ConversationCache {
 public:
  /// `fetch`: the texts of conversations, which are blobs of the home.
  ConversationCache(std::string home, artifacts::FetchText fetch)
      : home_(std::move(home)), fetch_(std::move(fetch)), reader_(fetch_) {}
  /// Passes the conversations so far. A problem if a text is missing or damaged.
  std::optional<kernel::Problem> show(const std::string& study,
                                      const std::function<void(const std::vector<artifacts::Transcript>&)>& see);

 private:
  const std::string home_;
  const artifacts::FetchText fetch_;
  std::mutex mutex_;
  std::string study_;
  std::int64_t seq_ = 0;
  artifacts::TranscriptReader reader_;
};

/// The last few reproduction reports, each for one state of the log, because a comparison reads two logs.
class ComparisonCache {
 public:
  /// The report that was kept for the study at that head of its log.
  std::optional<std::string> find(const std::string& study, const std::string& head) {
    const std::lock_guard lock(mutex_);
    for (const Kept& one : kept_)
      if (one.study == study && one.head == head && !head.empty()) return one.document;
    return std::nullopt;
  }
  void keep(const std::string& study, const std::string& head, std::string document) {
    if (document.size() > largest) return;
    const std::lock_guard lock(mutex_);
    kept_.remove_if([&](const Kept& one) { return one.study == study; });
    kept_.push_front({study, head, std::move(document)});
    if (kept_.size() > most) kept_.pop_back();
  }

 private:
  struct Kept {
    std::string study, head, document;
  };
  static constexpr std::size_t most = 8, largest = 4u << 20;
  std::mutex mutex_;
  std::list<Kept> kept_;  ///< The latest first.
};

}  // namespace server
