// Studies in a world where everything fails, from seeds. `sim --seed N --trace` shows one of them.
#include <catch2/catch.hpp>

#include "tests/places.h"
#include "tests/rounds.h"
#include "tests/sim/replies.h"
#include "tests/sim/simulation.h"

namespace {

void simulate(std::uint64_t seed) {
  INFO("again: " << tests::build_dir() << "/sim --seed " << seed << " --trace");
  CHECK_NOTHROW(sim::simulate(seed));
}

}  // namespace

TEST_CASE("whatever fails, nothing is lost, nothing happens twice, budgets hold and every study comes to its end") {
  for (int seed = 1; seed <= tests::rounds(200); ++seed) simulate(static_cast<std::uint64_t>(seed));
}

TEST_CASE("what a seed found stays mended") {
  // Names of others' runs in a fork, devices of a study that no kernel works on, a ranking too early, a hypothesis of
  // the store that is stale, runs of old code in a fork, a conclusion too early, devices' hours of now held against an
  // earlier launch.
  for (const std::uint64_t seed : {14, 104, 110, 1380, 3537, 4958, 701260}) simulate(seed);
}

TEST_CASE("a seed gives the same history each time") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) CHECK(sim::simulate(seed).digest == sim::simulate(seed).digest);
}

TEST_CASE("a reply is read as it was sent or not at all, however it comes") {
  for (int seed = 1; seed <= tests::rounds(200); ++seed) {
    INFO("seed " << seed);
    CHECK_NOTHROW(sim::read_replies(static_cast<std::uint64_t>(seed)));
  }
}
