// When planned runs would run, and how long they take in all.
#include "kernel/outlook/prediction.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "stats/basics/random.h"
#include "tests/kernel/outlook/timed.h"

using kernel::PlannedWork;
using kernel::predicted;
using kernel::scheduled;

namespace {

PlannedWork work_of(std::initializer_list<std::pair<const char*, int>> parts, int gpus = 0) {
  PlannedWork work;
  for (const auto& [part, count] : parts) work.add(part, PlannedWork::Kind{"", {{"a", "1"}}, gpus}, count);
  return work;
}

std::vector<double> each(const PlannedWork& work, double seconds) {
  return std::vector<double>(work.runs.size(), seconds);
}

}  // namespace

TEST_CASE("runs take the free places in their order, and a part waits for the one before it") {
  PlannedWork work = work_of({{"check", 3}, {"registered", 2}});
  const auto schedule = scheduled(work, each(work, 10), {2, 0}, 0);
  REQUIRE(schedule);
  CHECK(schedule->makespan_s == Approx(30));
  CHECK(schedule->runs[2].from_s == Approx(10));
  CHECK(schedule->runs[3].from_s == Approx(20));  // the second place was free at 10
  CHECK(schedule->runs[4].from_s == Approx(20));
  CHECK(schedule->runs[4].places != schedule->runs[3].places);
  CHECK(scheduled(work, each(work, 10), {2, 0}, 0.5)->makespan_s == Approx(31.5));
}

TEST_CASE("a run waits for the earlier stage that it needs, and then comes first") {
  PlannedWork work;
  const PlannedWork::Kind train{"train", {}, 0}, eval{"", {}, 0};
  work.add("registered", train, 1);
  work.add("registered", eval, 1);
  work.add("registered", train, 2);
  work.runs[1].needs = {0};
  const std::vector<double> seconds = {4, 1, 10, 3};
  const auto schedule = scheduled(work, seconds, {2, 0}, 0);
  REQUIRE(schedule);
  CHECK(schedule->runs[2].from_s == 0);          // not held up by the evaluation
  CHECK(schedule->runs[1].from_s == Approx(4));  // before the training behind it
  CHECK(schedule->runs[3].from_s == Approx(5));
  CHECK(schedule->makespan_s == Approx(10));
}

TEST_CASE("no device has two runs at once, no run overtakes, and what needs more than the pool has never runs") {
  PlannedWork work = work_of({{"registered", 40}}, 1);
  for (std::size_t i = 0; i < work.runs.size(); i += 3) {
    work.add("registered", PlannedWork::Kind{"", {{"a", "2"}}, 3}, 1);
  }
  stats::Xoshiro random(7);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < work.runs.size(); ++i) seconds.push_back(0.5 + random.uniform());
  const auto schedule = scheduled(work, seconds, {64, 4}, 0);
  REQUIRE(schedule);
  double last = 0, gpu_s = 0;
  for (std::size_t i = 0; i < work.runs.size(); ++i) {
    const kernel::ScheduledRun& run = schedule->runs[i];
    CHECK(run.from_s >= last);
    last = run.from_s;
    gpu_s += static_cast<double>(run.places.size()) * seconds[i];
    for (std::size_t k = 0; k < i; ++k) {
      const kernel::ScheduledRun& other = schedule->runs[k];
      if (other.to_s <= run.from_s + 1e-9) continue;
      for (const int gpu : run.places) CHECK(std::ranges::find(other.places, gpu) == other.places.end());
    }
  }
  CHECK(schedule->gpu_s == Approx(gpu_s));
  CHECK(schedule->makespan_s >= gpu_s / 4);
  CHECK_FALSE(scheduled(work, seconds, {64, 2}, 0));
}

TEST_CASE("the interval holds the real time of the runs nine times out of ten") {
  // The truth: runs of 2 s with a scatter of 30 %. From ten of them, 100 more on four places are predicted.
  stats::Xoshiro random(11);
  const auto run = [&] { return 2 * std::exp(0.3 * random.normal() - 0.045); };
  const PlannedWork work = work_of({{"registered", 100}});
  int held = 0;
  constexpr int times = 200;
  for (int i = 0; i < times; ++i) {
    std::vector<kernel::RunTime> runs;
    for (int k = 0; k < 10; ++k) runs.push_back(timed({{"a", "1"}}, run()));
    const auto prediction = predicted(work, work, kernel::DurationModel(runs), {4, 0}, 0);
    REQUIRE(prediction);
    std::vector<double> seconds;
    for (std::size_t k = 0; k < work.runs.size(); ++k) seconds.push_back(run());
    const double real = scheduled(work, seconds, {4, 0}, 0)->makespan_s;
    held += prediction->wall_s.low <= real && real <= prediction->wall_s.high;
    CHECK(prediction->wall_s.low < prediction->wall_s.value);
    CHECK(prediction->wall_s.value < prediction->wall_s.high);
  }
  // 0.9 ± 3 standard errors, and a little less for ten runs that do not know their own scatter.
  CHECK(held >= 0.8 * times);
  CHECK(held <= 0.97 * times);
}

TEST_CASE("a number of runs that is not fixed widens the interval, and GPU hours and energy follow the runs") {
  std::vector<kernel::RunTime> runs;
  for (int i = 0; i < 50; ++i) runs.push_back(timed({{"a", "1"}}, 36));
  for (kernel::RunTime& run : runs) run.joules = 3600;
  const PlannedWork least = work_of({{"registered", 100}}, 2), most = work_of({{"registered", 200}}, 2);
  const auto prediction = predicted(least, most, kernel::DurationModel(runs), {8, 4}, 0);
  REQUIRE(prediction);
  CHECK(prediction->wall_s.low == Approx(1800).epsilon(0.01));
  CHECK(prediction->wall_s.high == Approx(3600).epsilon(0.01));
  CHECK(prediction->gpu_hours.value == Approx(3).epsilon(0.01));
  CHECK(*prediction->joules == Approx(150 * 3600).epsilon(0.01));
  CHECK(prediction->timeline.makespan_s == Approx(3600));
}

TEST_CASE("the basis is said in words") {
  kernel::TimeBasis basis;
  basis.runs = 403;
  basis.studies = {"s1", "s2"};
  CHECK(basis_words(basis) == "from 403 runs of studies (s1, s2), all on this code");
  basis.tries = 1;
  basis.same_code = false;
  basis.cells = 33;
  basis.guessed = 2;
  CHECK(
      basis_words(basis) ==
      "from 403 runs of studies (s1, s2) and 1 run of `etude try`, all of these commands on other code; 2 of 33 cells "
      "never ran, and their times are guessed from the others");
  CHECK(kernel::basis_words({0, 2, {}, true, 1, 0}) == "from 2 runs of `etude try`, all on this code");
}

TEST_CASE("pools are doubled up to the whole") {
  CHECK(kernel::pool_sizes(1) == std::vector{1});
  CHECK(kernel::pool_sizes(8) == std::vector{1, 2, 4, 8});
  CHECK(kernel::pool_sizes(6) == std::vector{1, 2, 4, 6});
}
