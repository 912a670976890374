// How long runs are expected to take, from runs that ended.
#include "kernel/outlook/duration_model.h"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/kernel/outlook/timed.h"

using kernel::Cell;
using kernel::DurationModel;

TEST_CASE("a cell with runs is expected to take their mean, the surer the more runs there are") {
  const std::vector<kernel::RunTime> runs = {timed({{"a", "1"}}, 1.0), timed({{"a", "1"}}, 3.0),
                                             timed({{"a", "2"}}, 8.0), timed({{"a", "2"}}, 8.0),
                                             timed({{"a", "2"}}, 8.0), timed({{"a", "2"}}, 8.0)};
  const DurationModel model(runs);
  const auto one = model.expected("", {{"a", "1"}}), two = model.expected("", {{"a", "2"}});
  REQUIRE(one);
  REQUIRE(two);
  CHECK(one->mean_s == Approx(2));
  CHECK(two->mean_s == Approx(8));
  CHECK(one->seen);
  CHECK(one->error == Approx(std::sqrt(2.0) * two->error));
  // Pooled over both cells: one of four degrees of freedom is that of ln 1 and ln 3.
  CHECK(one->scatter == Approx(std::sqrt(std::pow(std::log(3.0), 2) / 2 / 4)));
}

TEST_CASE("a cell without runs gets the effects of its levels") {
  // b doubles, n = 2 takes ten times as long, in a fraction of the crossing.
  const std::vector<kernel::RunTime> runs = {timed({{"a", "x"}, {"n", "1"}}, 1), timed({{"a", "y"}, {"n", "1"}}, 2),
                                             timed({{"a", "x"}, {"n", "2"}}, 10), timed({{"a", "z"}, {"n", "1"}}, 3)};
  const DurationModel model(runs);
  const auto guess = model.expected("", {{"a", "y"}, {"n", "2"}});
  REQUIRE(guess);
  CHECK_FALSE(guess->seen);
  CHECK(guess->mean_s == Approx(20).epsilon(1e-3));
  CHECK(guess->error == Approx(kernel::factor_of_two));  // four cells and four parameters: nothing checks the fit
}

TEST_CASE(
    "a level that no run had makes a guess unsure, and a cell that leaves factors out stands for all that agree") {
  std::vector<kernel::RunTime> runs;
  for (const char* a : {"x", "y", "z"})
    for (const char* n : {"1", "2", "3"}) runs.push_back(timed({{"a", a}, {"n", n}}, n[0] - '0'));
  const DurationModel model(runs);
  const auto unknown = model.expected("", {{"a", "x"}, {"n", "4"}}), known = model.expected("", {{"n", "2"}});
  REQUIRE(unknown);
  REQUIRE(known);
  CHECK(unknown->error >= kernel::factor_of_two);
  CHECK_FALSE(unknown->seen);
  CHECK(known->mean_s == Approx(2));
  CHECK(known->seen);
  CHECK(model.expected("", {})->mean_s == Approx(2));
}

TEST_CASE("of the cells that a part of a cell stands for, each counts as often as it ran") {
  std::vector<kernel::RunTime> runs(9, timed({{"a", "x"}, {"n", "1"}}, 1));
  runs.push_back(timed({{"a", "y"}, {"n", "1"}}, 11));
  const auto rung = DurationModel(runs).expected("", {{"n", "1"}});
  REQUIRE(rung);
  CHECK(rung->mean_s == Approx(2));
}

TEST_CASE("two studies that took different times in the same cells show how much studies differ") {
  std::vector<kernel::RunTime> runs;
  for (int i = 0; i < 4; ++i) {
    runs.push_back(timed({{"a", "1"}}, 1, "s1"));
    runs.push_back(timed({{"a", "1"}}, 4, "s2"));
  }
  CHECK(DurationModel(runs).drift() == Approx(std::sqrt(2.0) * std::log(2.0)));
  for (kernel::RunTime& run : runs) run.study = "s1";
  CHECK(DurationModel(runs).drift() == 0);
}

TEST_CASE("watts are joules over the time of the runs that had counters, and unknown without any") {
  std::vector<kernel::RunTime> runs = {timed({}, 2), timed({}, 3), timed({}, 5)};
  CHECK_FALSE(DurationModel(runs).watts());
  runs[0].joules = 100;
  runs[1].joules = 400;
  CHECK(DurationModel(runs).watts() == Approx(100));
}

TEST_CASE("the gap between jobs is that of a place, without pauses") {
  std::vector<kernel::RunTime> runs;
  // Two places, each with a job of a second and a gap of 50 ms; one pause of an hour between.
  for (int i = 0; i < 10; ++i)
    for (int place = 0; place < 2; ++place) {
      kernel::RunTime run = timed({}, 1);
      run.jobs = 2;
      run.started_ms = 10'000 + i * 1'050 + place * 300 + (i >= 5 ? 3'600'000 : 0);
      run.ended_ms = run.started_ms + 1'000;
      runs.push_back(run);
    }
  CHECK(kernel::gap_between_jobs(runs) == Approx(0.05));
  CHECK(kernel::gap_between_jobs({}) == 0);
}
