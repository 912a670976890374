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

class Door;

/// What handlers work with; borrowed for the server's life. `door`: of the page; null where none is served.
struct Api {
  explicit Api(session::Session& kernel, Door* of_the_page = nullptr)
      : session(kernel), door(of_the_page), past(kernel.home().root), tail(kernel.home().root, kernel.feed()) {}
  session::Session& session;
  Door* door;
  Past past;
  Tail tail;
  Compared compared;
  std::mutex capturing;         ///< Two that begin to work in one folder begin one study.
  std::atomic<int> streams{0};  ///< How many follow events just now.
};

}  // namespace server
