#include "apps/session/control/room_watch.h"

#include <condition_variable>
#include <filesystem>
#include <mutex>

#include <catch2/catch.hpp>

using namespace std::chrono_literals;

namespace {

/// No file system has less room than this one, which has no blocks.
constexpr const char* never = "/proc";

struct Resumed {
  std::vector<std::string> studies;
  std::mutex mutex;
  std::condition_variable changed;

  void operator()(const std::string& study) {
    const std::lock_guard lock(mutex);
    studies.push_back(study);
    changed.notify_all();
  }
  bool reach(std::size_t count) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, 20s, [&] { return studies.size() >= count; });
  }
};

}  // namespace

TEST_CASE("a study that a full disk paused is resumed once all its folders have room, and no other") {
  const std::string here = std::filesystem::current_path();
  CHECK(session::has_room(here));
  CHECK(session::has_room(here + "/not/yet/there"));
  CHECK_FALSE(session::has_room(never));
  Resumed resumed;
  session::RoomWatch watch(std::ref(resumed), 1ms, 1h);
  watch.paused("s1", {here, never});
  watch.paused("s2", {here, here + "/ara"});
  CHECK(resumed.reach(1));
  watch.goes_on("s2");
  watch.paused("s1", {here});  // Its artifact goes elsewhere now.
  CHECK(resumed.reach(2));
  watch.goes_on("s1");
  CHECK(resumed.studies == std::vector<std::string>{"s2", "s1"});
}

TEST_CASE("a study that is paused again soon waits longer each time") {
  const std::string here = std::filesystem::current_path();
  Resumed resumed;
  session::RoomWatch watch(std::ref(resumed), 20ms, 1h);
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t time = 1; time <= 4; ++time) {
    watch.paused("s1", {here});
    CHECK(resumed.reach(time));
    watch.goes_on("s1");
  }
  CHECK(std::chrono::steady_clock::now() - begin >= (1 + 2 + 4 + 8) * 20ms);
}
