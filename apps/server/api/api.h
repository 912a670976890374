#pragma once
// What the handlers of the API work with: the assembled kernel, the access rules of the page, and what is kept between
// requests. Handlers use it from the server's threads.

#include <atomic>
#include <mutex>

#include "apps/server/caches/comparison_cache.h"
#include "apps/server/caches/event_cache.h"
#include "apps/server/caches/history_cache.h"
#include "apps/session/control/session.h"

namespace server {

class AccessControl;

/// What handlers work with; borrowed for the server's life. `access`: of the page; null where none is served.
struct Api {
  explicit Api(session::Session& kernel, AccessControl* of_the_page = nullptr)
      : session(kernel), access(of_the_page), history(kernel.home().root), events(kernel.home().root, kernel.feed()) {}
  session::Session& session;
  AccessControl* access;
  HistoryCache history;
  EventCache events;
  ComparisonCache comparisons;
  std::mutex capturing;         ///< Two that begin to work in one folder begin one study.
  std::atomic<int> streams{0};  ///< How many follow events just now.
};

}  // namespace server
