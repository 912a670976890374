#pragma once
// Keeps the last few reproduction reports, each for one state of the log, because a comparison reads two logs. From any
// thread.

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>

namespace server {

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
