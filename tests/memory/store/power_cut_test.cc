// A disk that loses what was not flushed, that is full, that refuses writes, and that says of a flush what is not true.
#include <catch2/catch.hpp>

#include "kernel/design/seeds.h"
#include "memory/store/reader.h"
#include "memory/store/store.h"
#include "memory/store/verify.h"
#include "tests/fakes/failing_disk.h"
#include "tests/memory/story.h"
#include "tests/rounds.h"

namespace {

using fakes::FailingDisk;
using Fault = FailingDisk::Fault;
using story::Teller;
using story::TempFolder;

/// A store whose process or machine dies, and the numbers that all of it follows from.
struct FailingHome {
  explicit FailingHome(int seed) : random{static_cast<std::uint64_t>(seed)} {}

  bool chance(int percent) { return static_cast<int>(random.below(100)) < percent; }
  void open() { store = std::make_unique<memory::Store>(folder, 30); }
  void die(bool power) {
    disk.kill();
    store.reset();
    // Of a write that was not flushed, nothing, all or some sectors are there.
    if (power)
      disk.cut_power([this](std::int64_t bytes) {
        return chance(40)   ? 0
               : chance(50) ? bytes
                            : 512 * static_cast<std::int64_t>(random.below(static_cast<std::size_t>(bytes / 512 + 1)));
      });
    disk.revive();
  }

  kernel::SplitMix random;
  FailingDisk disk;
  TempFolder folder;
  std::unique_ptr<memory::Store> store;
};

std::vector<std::string> stored_hashes(const std::string& home) {
  std::vector<std::string> all;
  memory::Reader(home).events("s1", 0, [&](const memory::StoredEvent& event) { all.push_back(event.hash); });
  return all;
}

bool has_beginning(const std::vector<std::string>& all, const std::vector<std::string>& part) {
  return part.size() <= all.size() && std::equal(part.begin(), part.end(), all.begin());
}

}  // namespace

TEST_CASE("an event that was appended survives a power cut at any later instant") {
  for (int seed = 1; seed <= tests::rounds(20); ++seed) {
    INFO("seed " << seed);
    FailingHome home(seed);
    home.open();
    Teller teller;
    home.store->append({teller.open("s1")}, teller.state);
    std::vector<std::string> kept = stored_hashes(home.folder);
    for (int batch = 0; batch < 12; ++batch) {
      const int before = home.disk.flushes;
      home.store->append({teller.queue("s1", 40, kernel::Purpose::pilot)}, teller.state);
      REQUIRE(home.disk.flushes > before);
      kept = stored_hashes(home.folder);
      if (!home.chance(40)) continue;
      home.die(home.chance(70));
      REQUIRE(memory::verify(home.folder).problems == std::vector<std::string>{});
      REQUIRE(stored_hashes(home.folder) == kept);
      home.open();
    }
  }
}

TEST_CASE("an append on a disk that fails is stored whole or not at all, and what was there stays") {
  int failed = 0;
  for (int seed = 1; seed <= tests::rounds(25); ++seed) {
    INFO("seed " << seed);
    FailingHome home(seed);
    home.open();
    Teller teller;
    home.store->append({teller.open("s1")}, teller.state);
    std::vector<std::string> kept = stored_hashes(home.folder);
    for (int batch = 0; batch < 10; ++batch) {
      const kernel::State before = teller.state;
      const std::vector<kernel::Event> events = {teller.queue("s1", 20, kernel::Purpose::pilot),
                                                 teller.queue("s1", 20, kernel::Purpose::pilot)};
      home.disk.fails = [&](FailingDisk::Call) {
        return !home.chance(15) ? Fault::none : home.chance(50) ? Fault::full : Fault::error;
      };
      bool done = true;
      try {
        home.store->append(events, teller.state);
      } catch (const memory::StoreFault&) {
        done = false;
        ++failed;
      }
      home.disk.fails = nullptr;
      if (!done || home.chance(20)) {
        // A kernel ends with such a fault.
        home.die(home.chance(50));
        REQUIRE(memory::verify(home.folder).problems == std::vector<std::string>{});
        home.open();
      }
      const std::vector<std::string> now = stored_hashes(home.folder);
      REQUIRE(has_beginning(now, kept));
      REQUIRE((now.size() == kept.size() + 2 || (!done && now.size() == kept.size())));
      if (now.size() == kept.size()) teller.state = before;
      kept = now;
    }
  }
  CHECK(failed > 10);
}

TEST_CASE("after a disk that lied about its flushes the store is a part of what it was, or says that it is damaged") {
  int shorter = 0;
  for (int seed = 1; seed <= tests::rounds(25); ++seed) {
    INFO("seed " << seed);
    FailingHome home(seed);
    home.open();
    Teller teller;
    home.store->append({teller.open("s1")}, teller.state);
    home.disk.fails = [&](FailingDisk::Call call) {
      return call == FailingDisk::Call::flush && home.chance(60) ? Fault::lies : Fault::none;
    };
    for (int batch = 0; batch < 10; ++batch)
      home.store->append({teller.queue("s1", 20, kernel::Purpose::pilot)}, teller.state);
    const std::vector<std::string> told = stored_hashes(home.folder);
    home.disk.fails = nullptr;
    home.die(true);
    const memory::VerifyReport report = memory::verify(home.folder);
    if (!report.ok()) continue;
    const std::vector<std::string> left = report.store ? stored_hashes(home.folder) : std::vector<std::string>{};
    CHECK(has_beginning(told, left));
    shorter += left.size() < told.size();
  }
  CHECK(shorter > 0);
}
