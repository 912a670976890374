#pragma once
// The context of the API's handlers: the assembled kernel, the access rules of the page, and the caches. Handlers use
// it from the server's threads.

#include <atomic>
#include <chrono>
#include <mutex>

#include "apps/server/caches/comparison_cache.h"
#include "apps/server/caches/event_cache.h"
#include "apps/server/caches/history_cache.h"
#include "apps/session/control/session.h"

namespace server {

/// How long a server that stops waits for clients that follow events to read the last ones.
inline constexpr std::chrono::milliseconds last_events_wait{1000};

class AccessControl;

/// Borrowed by handlers for the server's lifetime. `access`: of the page; null if none is served.
struct Api {
  explicit Api(session::Session& kernel, AccessControl* of_the_page = nullptr)
      : session(kernel), access(of_the_page), history(kernel.home().root), events(kernel.home().root, kernel.feed()) {}
  session::Session& session;
  AccessControl* access;
  HistoryCache history;
  EventCache events;
  ComparisonCache comparisons;
  std::mutex capturing;         ///< Two requests that start to capture work in one folder must open one study.
  std::atomic<int> streams{0};  ///< Number of clients that follow events at the moment.
};

}  // namespace server
