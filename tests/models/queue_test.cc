#include "models/queue.h"

#include <vector>

#include <catch2/catch.hpp>

using models::Queue;
using models::RateLimits;
using models::Urgency;

namespace {

std::vector<std::uint64_t> all_now(Queue& queue, double now) {
  std::vector<std::uint64_t> sent;
  while (const auto next = queue.next(now)) sent.push_back(*next);
  return sent;
}

}  // namespace

TEST_CASE("a waiting person goes before the critical path, and that before the background; nobody starves") {
  Queue queue(RateLimits{});
  queue.add(1, Urgency::background, 10, 0);
  queue.add(2, Urgency::critical, 10, 0);
  queue.add(3, Urgency::person, 10, 1);
  queue.add(4, Urgency::critical, 10, 2);
  queue.add(5, Urgency::person, 10, 61);  // The background's has waited for a minute by now.
  CHECK(all_now(queue, 61) == std::vector<std::uint64_t>{3, 2, 4, 1, 5});
}

TEST_CASE("requests per minute come evenly after the first minute's worth") {
  Queue queue(RateLimits{{}, 6, {}});
  for (std::uint64_t i = 1; i <= 9; ++i) queue.add(i, Urgency::critical, 1, 0);
  CHECK(all_now(queue, 100).size() == 6);
  CHECK(queue.next_chance(100) == 110);
  CHECK(all_now(queue, 109.9).empty());
  CHECK(all_now(queue, 110).size() == 1);
  CHECK(all_now(queue, 130).size() == 2);
}

TEST_CASE(
    "tokens are set aside as expected and settled as taken; one larger than a minute's worth waits for all of it") {
  Queue queue(RateLimits{{}, {}, 1000});
  queue.add(1, Urgency::critical, 800, 0);
  queue.add(2, Urgency::critical, 800, 0);
  queue.add(3, Urgency::critical, 5000, 0);
  CHECK(all_now(queue, 0) == std::vector<std::uint64_t>{1});
  CHECK(*queue.next_chance(0) == Approx(36));
  queue.ended(800, 100, 0);
  CHECK(all_now(queue, 0) == std::vector<std::uint64_t>{2});
  queue.ended(800, 800, 0);
  const double then = *queue.next_chance(0);
  CHECK(then == Approx(54));  // 100 left of 1000.
  CHECK(all_now(queue, then) == std::vector<std::uint64_t>{3});
}

TEST_CASE("so many at once and no more, and none while the provider wants to be left alone") {
  Queue queue(RateLimits{2, {}, {}});
  for (std::uint64_t i = 1; i <= 4; ++i) queue.add(i, Urgency::critical, 1, 0);
  CHECK(all_now(queue, 0).size() == 2);
  CHECK_FALSE(queue.next_chance(0));
  queue.hold_until(20);
  queue.ended(1, 1, 5);
  CHECK(queue.next_chance(5) == 20);
  CHECK(all_now(queue, 19).empty());
  CHECK(queue.drop(3));
  CHECK_FALSE(queue.drop(3));
  CHECK(all_now(queue, 20) == std::vector<std::uint64_t>{4});
  CHECK(queue.waiting() == 0);
}
