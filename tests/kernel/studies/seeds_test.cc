// Seeds and order of runs: nothing that can be read before an event determines what it draws, and what was drawn stays.
#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "kernel/codec/codec.h"
#include "kernel/design/design.h"
#include "tests/kernel/inference/synthetic.h"
#include "tests/kernel/search/search_driver.h"

using kernel::Pairing;
using kernel::Purpose;
using kernel::SeedRule;

namespace {

/// A study with smoke runs, a pilot, a repeated control and 6 to 12 replicates.
kernel::StudySpec sized_with(SeedRule seeds, Pairing pairing = Pairing::seed) {
  kernel::StudySpec spec = synthetic::study(6);
  spec.factors = {synthetic::factor("arm", {"c", "t"})};
  spec.seeds = seeds;
  spec.design.pairing = pairing;
  spec.design.smoke = true;
  spec.design.replicates_max = 12;
  kernel::Hypothesis h = synthetic::compare(kernel::Direction::less);
  h.statement = "It is.";
  spec.hypotheses = {h};
  return spec;
}

std::optional<double> lower_by_arm(const kernel::Cell& cell, std::uint64_t seed, Purpose) {
  return synthetic::noise(cell.at("arm"), seed) + (cell.at("arm") == "c" ? 10 : 5);
}

using SeedsDrawn = std::map<Purpose, std::vector<std::uint64_t>>;

SeedsDrawn drawn_seeds(const kernel::Study& study) {
  SeedsDrawn list;
  for (const kernel::Run& run : study.runs) list[run.purpose].push_back(run.seed);
  return list;
}

std::vector<int> drawn_order(const kernel::Study& study) {
  std::vector<int> cells;
  for (const kernel::Run& run : study.runs)
    if (run.purpose == Purpose::registered) cells.push_back(run.cell);
  return cells;
}

bool has_experiment(const kernel::Study& study) {
  return !study.experiments.empty();
}

}  // namespace

TEST_CASE("seeds that are drawn follow from the bits of their event, in one range and without repetition") {
  for (const Pairing pairing : {Pairing::seed, Pairing::none}) {
    driver::Driver d(sized_with(SeedRule::drawn, pairing), lower_by_arm),
        other(sized_with(SeedRule::drawn, pairing), lower_by_arm, 1000);
    const SeedsDrawn one = drawn_seeds(d.run()), two = drawn_seeds(other.run());
    REQUIRE(one.size() == 4);  // Smoke, pilot, registered, and the repeated control.
    std::map<std::uint64_t, std::set<Purpose>> used;
    std::set<std::uint64_t> tops;
    for (const auto& [purpose, seeds] : one)
      for (const std::uint64_t seed : seeds) {
        CHECK(seed < (std::uint64_t{1} << 31));
        used[seed].insert(purpose);
        tops.insert(seed >> 29);
      }
    for (const auto& [seed, purposes] : used) CHECK(purposes.size() == 1);
    CHECK(tops.size() == 4);
    for (const auto& [purpose, seeds] : two)
      for (const std::uint64_t seed : seeds) CHECK_FALSE(used.contains(seed));
    CHECK(drawn_order(d.study()) != drawn_order(other.study()));
    const kernel::Registration& r = d.study().experiments.front().registration;
    CHECK(r.draw != other.study().experiments.front().registration.draw);
    CHECK(r.aa->seeds.size() == static_cast<std::size_t>(r.aa->replicates));
  }
}

TEST_CASE("every seed up to the largest size is drawn in the registration's event, and its runs have these") {
  for (const Pairing pairing : {Pairing::seed, Pairing::none}) {
    driver::Driver d(sized_with(SeedRule::drawn, pairing), lower_by_arm);
    d.run(has_experiment);
    const kernel::Registration r = d.study().experiments.front().registration;
    d.run();
    for (const kernel::Run& run : d.study().runs) {
      if (run.purpose != Purpose::registered) continue;
      const auto cell =
          std::ranges::find(r.cells, d.study().cells[static_cast<std::size_t>(run.cell)]) - r.cells.begin();
      const std::uint64_t* seed = kernel::registered_seed(r, static_cast<std::size_t>(cell), run.replicate);
      REQUIRE(seed);
      CHECK(*seed == run.seed);
    }
  }
}

TEST_CASE("what an event drew is in its record") {
  driver::Driver d(sized_with(SeedRule::drawn), lower_by_arm);
  d.run();
  int drawn = 0;
  for (const kernel::Event& event : d.log) {
    const auto* queued = std::get_if<kernel::RunsQueued>(&event.body);
    if (!queued || queued->draw.empty()) continue;
    ++drawn;
    const kernel::EventBody read = kernel::decode("RunsQueued", kernel::event_version, kernel::encode(event.body));
    CHECK(std::get<kernel::RunsQueued>(read).draw == queued->draw);
  }
  CHECK(drawn == 2);  // The smoke runs and the pilot.
}

TEST_CASE("without random bits nothing is drawn") {
  driver::Driver d(sized_with(SeedRule::drawn), lower_by_arm);
  d.run([](const kernel::Study& study) { return study.proposals_closed; });
  CHECK_THROWS_AS(kernel::decide(d.state, {"s1", "experiment", kernel::RequestSmoke{}}, {}), std::invalid_argument);
}

TEST_CASE("seeds that the author fixed are the same for everybody, and the verdict says so") {
  driver::Driver d(sized_with(SeedRule::fixed), lower_by_arm), other(sized_with(SeedRule::fixed), lower_by_arm, 1000);
  CHECK(drawn_seeds(d.run()) == drawn_seeds(other.run()));
  CHECK(drawn_order(d.study()) == drawn_order(other.study()));
  const auto warned = [](const kernel::Study& study) {
    const auto& warnings = study.hypothesis("H1")->result->warnings;
    return std::ranges::any_of(warnings, [](const auto& w) { return w.code == kernel::ReasonCode::seeds_chosen; });
  };
  CHECK(warned(d.study()));
  kernel::StudySpec spec = sized_with(SeedRule::fixed);
  spec.seed = 2;
  driver::Driver second(spec, lower_by_arm);
  CHECK(drawn_seeds(second.run()) != drawn_seeds(d.study()));
  driver::Driver drawn(sized_with(SeedRule::drawn), lower_by_arm);
  drawn.run();
  CHECK_FALSE(warned(drawn.study()));
}

TEST_CASE("an amendment before any value was seen keeps the registration's seeds; a later one draws anew") {
  const auto amending = [](const char* hash) {
    return kernel::Command{"s1", "person",
                           kernel::AmendWorkspace{{kernel::WorkspaceHash(hash), 1, 1, {}}, "it crashed"}};
  };
  driver::Driver d(sized_with(SeedRule::drawn), lower_by_arm);
  d.run(has_experiment);
  const kernel::Registration first = d.study().experiments.front().registration;
  d.command(amending("mended"));
  d.run([](const kernel::Study& study) { return study.experiments.size() == 2; });
  const kernel::Registration second = d.study().experiments.back().registration;
  CHECK(second.amends == first.experiment);
  CHECK(second.draw == first.draw);
  const auto common = std::min(first.seeds.size(), second.seeds.size());
  REQUIRE(common >= 6);
  CHECK(
      std::equal(first.seeds.begin(), first.seeds.begin() + static_cast<std::ptrdiff_t>(common), second.seeds.begin()));
}

TEST_CASE("the selection of a search and its confirmation draw apart") {
  kernel::Factor factor = synthetic::factor("x", {"1", "2", "3", "4", "5", "6"});
  factor.baseline = "1";
  kernel::StudySpec spec = driver::search(kernel::StudyKind::optimize, {factor});
  spec.seeds = SeedRule::drawn;
  const auto value = [](const kernel::Cell& cell, std::uint64_t seed, Purpose) -> std::optional<double> {
    return driver::noise(cell, seed, 1);
  };
  driver::Driver d(spec, value), other(spec, value, 1000);
  const SeedsDrawn one = drawn_seeds(d.run()), two = drawn_seeds(other.run());
  for (const std::uint64_t seed : one.at(Purpose::registered)) {
    CHECK(std::ranges::count(one.at(Purpose::search), seed) == 0);
    CHECK(std::ranges::count(two.at(Purpose::registered), seed) == 0);
  }
}
