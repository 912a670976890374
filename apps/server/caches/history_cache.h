#pragma once
// Studies as they were: folded from their events up to one of them, by the code that made them. What was looked at last
// is kept, so that going on from there costs only what lies between. Thread-safe.

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
    const std::string& head;  ///< Of the event chain, then.
    std::int64_t seq;         ///< Of its last event, then: decisions are not cut in two.
  };

  explicit HistoryCache(std::string home) : home_(std::move(home)) {}
  /// Shows the study as it was after the event `at`. False: it was not there yet. Throws StoreFault where the chain is
  /// broken.
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
