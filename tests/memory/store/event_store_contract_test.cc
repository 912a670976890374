// One suite for every EventStore: the real one and the fake.
#include <memory>

#include <catch2/catch.hpp>

#include "kernel/codec/codec.h"
#include "memory/store/store.h"
#include "tests/fakes/fake_event_store.h"
#include "tests/memory/story.h"

namespace {

struct Real {
  story::TempFolder home;
  memory::Store store{home};
};
struct Fake {
  fakes::FakeEventStore store;
};

std::vector<std::string> replayed(kernel::EventStore& store, const std::string& study) {
  std::vector<std::string> all;
  store.replay(study, [&](const kernel::Event& e) {
    all.push_back(e.study + " " + e.actor + " " + std::to_string(e.at.wall_ms) + " " + std::to_string(e.at.boot_ms) +
                  " " + std::string(kernel::type_name(e.body)) + " " + kernel::encode(e.body));
  });
  return all;
}

std::vector<std::string> as_text(const std::vector<kernel::Event>& events) {
  fakes::FakeEventStore copy;
  kernel::State state;
  for (const kernel::Event& e : events) state.studies[e.study];
  copy.append(events, state);
  return replayed(copy, events.front().study);
}

}  // namespace

TEMPLATE_TEST_CASE("events of every kind come back as they were appended", "", Real, Fake) {
  TestType with;
  story::Teller teller;
  const auto events = teller.whole("s1");
  std::set<std::string_view> kinds;
  for (const kernel::Event& e : events) kinds.insert(kernel::type_name(e.body));
  REQUIRE(kinds.size() == std::variant_size_v<kernel::EventVariant>);

  with.store.append(events, teller.state);
  CHECK(replayed(with.store, "s1") == as_text(events));
  CHECK(replayed(with.store, "s1").size() == events.size());
}

TEMPLATE_TEST_CASE("studies whose events interleave are replayed apart, each in order", "", Real, Fake) {
  TestType with;
  story::Teller teller;
  std::vector<kernel::Event> a = {teller.open("a")}, b = {teller.open("b")};
  with.store.append({a[0], b[0]}, teller.state);
  for (int i = 0; i < 5; ++i) {
    a.push_back(teller.queue("a", 1, kernel::Purpose::pilot));
    b.push_back(teller.queue("b", 2, kernel::Purpose::pilot));
    with.store.append({b.back(), a.back()}, teller.state);
  }
  CHECK(replayed(with.store, "a") == as_text(a));
  CHECK(replayed(with.store, "b") == as_text(b));
}

TEMPLATE_TEST_CASE("a study that nobody opened has no events", "", Real, Fake) {
  TestType with;
  CHECK(replayed(with.store, "s1").empty());
  with.store.append({}, {});
  CHECK(replayed(with.store, "s1").empty());
}

TEMPLATE_TEST_CASE("an append that fails leaves nothing behind", "", Real, Fake) {
  TestType with;
  story::Teller teller;
  const auto opened = teller.open("known");
  kernel::State without_second = teller.state;
  const auto second = teller.open("unknown");
  CHECK_THROWS(with.store.append({opened, second}, without_second));
  CHECK(replayed(with.store, "known").empty());
  with.store.append({opened, second}, teller.state);
  CHECK(replayed(with.store, "known").size() == 1);
}
