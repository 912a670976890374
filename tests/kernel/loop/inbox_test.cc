#include "kernel/loop/inbox.h"

#include <thread>

#include <catch2/catch.hpp>

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST_CASE("how long messages waited is told of the oldest of those that are taken together", "[kernel]") {
  kernel::Inbox inbox;
  CHECK(inbox.delays().of == 0);
  CHECK(inbox.take(1).empty());
  CHECK(inbox.delays().of == 0);

  inbox.post(kernel::Leave{});
  // The second one comes when the clock has moved on.
  for (const auto first = Clock::now(); Clock::now() < first + 30ms;) std::this_thread::yield();
  inbox.post(kernel::Leave{});
  CHECK(inbox.take().size() == 2);
  CHECK(inbox.delays().of == 1);
  const double slept_ms = inbox.delays().median_ms;
  CHECK(slept_ms >= 30);

  for (int i = 0; i < 3000; ++i) {
    inbox.post(kernel::Leave{});
    inbox.take();
  }
  const kernel::Delays now = inbox.delays();
  CHECK(now.of == 1024);
  CHECK(now.median_ms < slept_ms);
  CHECK(now.median_ms <= now.p99_ms);
  CHECK(now.p99_ms <= now.worst_ms);
}

}  // namespace
