#pragma once
// Studies at an earlier moment, folded from their events. Keeps the last one, so that a later moment of it costs only
// the events between. Thread-safe.

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "memory/store/reader.h"

namespace server {

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

}  // namespace server
