// How long the runs of a running study still take.
#include "kernel/outlook/time_left.h"

#include <catch2/catch.hpp>

#include "tests/cost.h"

using kernel::Run;
using kernel::RunState;
using kernel::Study;
using kernel::time_left;

namespace {

/// A study on two places that measures: runs of 4 s (cell 0) and of 1 s (cell 1) in turn.
struct Measuring : Study {
  explicit Measuring(int ended, int waiting) {
    id = "s1";
    jobs = 2;
    spec.agents = "builtin";
    proposals_closed = true;
    check.emplace();
    cells = {{{"arm", "slow"}}, {{"arm", "fast"}}};
    kernel::Experiment experiment;
    experiment.registration.experiment = "E01";
    experiment.pending = waiting;
    experiments.push_back(experiment);
    std::int64_t free[2] = {1'000'000, 1'000'000};
    for (int i = 0; i < ended + waiting; ++i) {
      Run run;
      run.number = i + 1;
      run.experiment = "E01";
      run.cell = i % 2;
      if (i < ended) {
        std::int64_t& place = free[0] <= free[1] ? free[0] : free[1];
        run.state = RunState::succeeded;
        run.started_ms = place;
        run.ended_ms = place = place + (run.cell == 0 ? 4'000 : 1'000);
      } else {
        queue.push_back(run.number);
      }
      runs.push_back(run);
    }
  }
};

}  // namespace

TEST_CASE("what is left follows from the cells that wait and the places of the study") {
  Measuring study(20, 40);
  const auto left = time_left(study);
  REQUIRE(left);
  CHECK(left->least_runs == 40);
  CHECK(left->most_runs == 40);
  CHECK_FALSE(left->open);
  CHECK(left->from == 20);
  REQUIRE(left->wall_s);
  CHECK(left->wall_s->value == Approx((20 * 4 + 20 * 1) / 2.0).epsilon(0.05));
  CHECK(left->gpu_hours == 0.0);
  study.spec.resources.gpus = 2;
  CHECK(*time_left(study)->gpu_hours == Approx(2 * 100.0 / 3600));
  // The long runs at the end leave a place empty: no sharing makes the last one shorter.
  study.queue = {study.queue[0]};
  CHECK(time_left(study)->wall_s->value == Approx(4));
}

TEST_CASE("nothing is known before a run has ended, and nothing is left when none waits") {
  const auto left = time_left(Measuring(0, 8));
  REQUIRE(left);
  CHECK_FALSE(left->wall_s);
  CHECK(left->most_runs == 8);
  CHECK_FALSE(time_left(Measuring(8, 0)));
  Measuring cancelled(4, 4);
  cancelled.cancelling = true;
  CHECK_FALSE(time_left(cancelled));
}

TEST_CASE("of many waiting runs a part is looked at, with the same result") {
  const double few = time_left(Measuring(100, 250))->wall_s->value;
  CHECK(time_left(Measuring(100, 25'000))->wall_s->value == Approx(100 * few).epsilon(0.15));
}

TEST_CASE("what it costs to tell what is left does not grow with the runs") {
  const Measuring small(1'000, 1'000), large(64'000, 64'000);
  // Linear work would take 64 times as long.
  CHECK(tests::cost([&] { time_left(large); }) < 8 * tests::cost([&] { time_left(small); }));
}

TEST_CASE("a cell that has not ended yet widens the interval") {
  Measuring study(20, 40);
  const auto known = time_left(study);
  for (std::size_t i = 20; i < study.runs.size(); ++i) study.runs[i].cell = 2;
  study.cells.push_back({{"arm", "new"}});
  const auto unknown = time_left(study);
  CHECK(unknown->wall_s->value == Approx(40 * 2.5 / 2).epsilon(0.05));
  CHECK(unknown->wall_s->high / unknown->wall_s->value > 1.5 * known->wall_s->high / known->wall_s->value);
}

TEST_CASE("before the registration the runs to come are counted by the design") {
  Measuring study(6, 0);
  study.experiments.clear();
  for (Run& run : study.runs) {
    run.purpose = kernel::Purpose::pilot;
    run.experiment = {};
  }
  study.asked_pilot = true;
  kernel::Factor arm;
  arm.name = "arm";
  for (const char* level : {"slow", "fast"}) arm.levels.push_back({level, {level, std::nullopt}, {}});
  study.spec.factors = {arm};
  kernel::Metric metric;
  metric.name = "cost";
  metric.primary = true;
  study.spec.metrics = {metric};
  kernel::HypothesisRecord record;
  record.hypothesis.id = "H1";
  record.hypothesis.metric = "cost";
  record.hypothesis.treatment = {{"arm", "fast"}};
  record.hypothesis.control = {{"arm", "slow"}};
  study.hypotheses = {record};
  study.spec.design.replicates_min = 4;
  study.spec.design.replicates_max = 10;
  const auto sizing = time_left(study);
  REQUIRE(sizing);
  CHECK(sizing->least_runs == 8);
  CHECK(sizing->most_runs == 20);
  CHECK(sizing->wall_s->low < 8 * 2.5 / 2);
  CHECK(sizing->wall_s->high > 20 * 2.5 / 2);
  kernel::SampleSized sized;
  kernel::SizeRecord size;
  size.hypothesis = "H1";
  size.replicates = 6;
  sized.sizes = {size};
  study.sized = sized;
  CHECK(time_left(study)->least_runs == 12);
  CHECK(time_left(study)->most_runs == 12);
}
