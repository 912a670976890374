// Runs that go before the registered ones and count for nothing.

#include <catch2/catch.hpp>

#include "kernel/design/design.h"
#include "kernel/domain/cells.h"
#include "kernel/views/plan.h"
#include "tests/kernel/studies/world.h"

namespace {

using namespace kernel;

Study warmed_up(World& world, int each) {
  StudySpec spec = small_spec({quick_is_faster()});
  spec.design.warmup_runs = each;
  world.open(spec);
  return finished(world);
}

}  // namespace

TEST_CASE("warm-ups of every cell start before the first registered run, and are no evidence") {
  World world(honest), cold(honest);
  const Study study = warmed_up(world, 3), without = warmed_up(cold, 0);
  std::vector<int> started;
  for (const Event& event : world.log)
    if (const auto* starting = std::get_if<RunStarting>(&event.body)) started.push_back(starting->run);
  int warm = 0;
  std::set<std::uint64_t> seeds;
  bool registered = false;
  for (const int number : started) {
    const Run& run = *study.run(number);
    registered = registered || run.purpose == Purpose::registered;
    if (run.label != warmup_label) {
      if (registered) seeds.insert(run.seed);
      continue;
    }
    ++warm;
    CHECK_FALSE(registered);
    CHECK_FALSE(run.evidence());
    CHECK(run.experiment.empty());
    CHECK(run.state == RunState::succeeded);
  }
  CHECK(warm == 4 * 3);
  for (const Run& run : study.runs)
    if (run.label == warmup_label) CHECK_FALSE(seeds.contains(run.seed));
  CHECK(study.runs.size() == without.runs.size() + 12);
  CHECK(study.hypotheses.at(0).result->effect == without.hypotheses.at(0).result->effect);
  CHECK(plan_of(study.spec).warmup == 12);
  CHECK(plan_of(study.spec).total.most == static_cast<int>(study.runs.size()));
}

TEST_CASE("warm-ups that fail, or are lost and run again after all others, hold nothing up") {
  int launches = 0;
  World world([&](const JobSpec& job) {
    ReportEnd end = honest(job);
    // The smoke runs come first.
    if (++launches > 4 && launches <= 8) end.outcome.end = launches % 2 ? JobEnd::lost : JobEnd::timed_out;
    return end;
  });
  const Study study = warmed_up(world, 1);
  CHECK(study.outcome == StudyOutcome::concluded);
  CHECK(study.hypotheses.at(0).result->verdict == Verdict::supported);
  CHECK(study.hypotheses.at(0).result->failed == std::array<int, 2>{0, 0});
  for (const Run& run : study.runs) CHECK(run.ended());
  CHECK(study.live.empty());
}
