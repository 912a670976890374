// Short runs are recorded before their turn, so that none waits for a commit; long ones, and those that failed, are
// not.

#include <catch2/catch.hpp>

#include "kernel/loop/admission.h"
#include "kernel/loop/loop.h"
#include "tests/kernel/studies/world.h"

namespace {

/// Jobs of this length on a machine whose executor lets them take turns.
struct Turns : World {
  explicit Turns(double wall_s)
      : World([](const kernel::JobSpec& job) { return honest(job); }),
        length([=](const kernel::JobSpec&) { return wall_s; }) {
    machine.cpus = 4;
    machine.starts_in_turn = true;
    executor.job = [this](const kernel::JobSpec& job) {
      kernel::ReportEnd report = honest(job);
      report.outcome.usage.wall_s = length(job);
      return report;
    };
  }
  kernel::Study study(int jobs) {
    open(small_spec({quick_is_faster()}), jobs);
    return finished(*this);
  }

  std::function<double(const kernel::JobSpec&)> length;
};

/// A study of so many waiting runs, of which `live` run.
kernel::State waiting(int all, int live, int jobs, const kernel::Resources& need = {}) {
  kernel::State state;
  kernel::Study& study = state.studies["s1"];
  study.id = "s1";
  study.jobs = jobs;
  study.spec.resources = need;
  for (int i = 1; i <= all; ++i) {
    kernel::Run run;
    run.number = i;
    run.lease.cpus = need.cpus;
    run.lease.memory_bytes = need.memory_bytes.value_or(0);
    study.runs.push_back(run);
    if (i <= live)
      study.live.insert(i);
    else
      study.queue.push_back(i);
  }
  return state;
}

std::size_t ahead(const kernel::State& state, const kernel::Machine& machine) {
  const auto quick = [](const kernel::Study&, const kernel::Run&) { return true; };
  return admit_ahead(state, machine, quick, kernel::Time{0, 1'000'000}).size();
}

}  // namespace

TEST_CASE("runs of a quick study are recorded ahead, in the order of its queue, and none runs beside more than -j") {
  Turns world(0.001);
  const kernel::Study study = world.study(2);
  REQUIRE(world.executor.in_turn.size() > 2);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
  int last = 0;
  for (const auto& [run, below] : world.executor.in_turn) {
    CHECK(below == 2);
    CHECK(run > last);
    last = run;
  }
  for (const kernel::Run& run : study.runs) CHECK(run.beside <= 1);
}

TEST_CASE("runs that are long enough to be measured by time are not recorded ahead, nor are those of -j 1") {
  Turns slow(0.06);
  slow.study(2);
  CHECK(slow.executor.in_turn.empty());
  Turns alone(0.001);
  alone.study(1);
  CHECK(alone.executor.in_turn.empty());
}

TEST_CASE("nothing is recorded ahead where the executor knows no turns, or after a failure") {
  Turns world(0.001);
  world.machine.starts_in_turn = false;
  world.study(2);
  CHECK(world.executor.in_turn.empty());

  Turns failing(0.001);
  const auto good = failing.executor.job;
  failing.executor.job = [&, n = 0](const kernel::JobSpec& job) mutable {
    kernel::ReportEnd report = good(job);
    report.outcome.exit = ++n % 8 == 0;  // Never eight good ones in a row.
    return report;
  };
  failing.study(2);
  CHECK(failing.executor.in_turn.empty());
}

TEST_CASE("a study has as many runs ahead as slots, at most four, and none while a slot is free") {
  kernel::Machine box{8, 0, {}, {}};
  box.starts_in_turn = true;
  CHECK(ahead(waiting(20, 2, 2), box) == 2);
  CHECK(ahead(waiting(20, 3, 2), box) == 1);
  CHECK(ahead(waiting(20, 8, 8), box) == 4);
  CHECK(ahead(waiting(20, 1, 2), box) == 0);
  CHECK(ahead(waiting(3, 2, 2), box) == 1);
  const auto until_fourth = [](const kernel::Study&, const kernel::Run& run) { return run.number < 4; };
  CHECK(admit_ahead(waiting(20, 2, 2), box, until_fourth, kernel::Time{0, 1'000'000}).size() == 1);
}

TEST_CASE("nothing is recorded ahead beside another study that waits, for devices, or for more than a live run has") {
  kernel::Machine box{8, 0, {{"GPU-a", 0}}, {}};
  box.starts_in_turn = true;
  kernel::State two = waiting(20, 2, 2);
  kernel::Study other = two.studies.at("s1");
  other.id = "s2";
  two.studies["s2"] = other;
  CHECK(ahead(two, box) == 0);
  two.studies.at("s2").live.clear();
  CHECK(ahead(two, box) == 0);
  two.studies.at("s2").queue.clear();
  CHECK(ahead(two, box) == 2);

  kernel::Resources gpu;
  gpu.gpus = 1;
  CHECK(ahead(waiting(20, 2, 2, gpu), box) == 0);
  kernel::Resources large;
  large.memory_bytes = 1 << 30;
  kernel::State state = waiting(20, 2, 2, large);
  CHECK(ahead(state, box) == 2);
  state.studies.at("s1").runs.at(1).lease.memory_bytes = 1 << 20;
  CHECK(ahead(state, box) == 0);
}

TEST_CASE("runs recorded ahead count for the budget") {
  kernel::Machine box{8, 0, {}, {}};
  box.starts_in_turn = true;
  kernel::State state = waiting(20, 2, 2);
  kernel::Study& study = state.studies.at("s1");
  study.spec.budget.runs = 3;
  CHECK(ahead(state, box) == 1);
  study.spec.budget.runs = 2;
  CHECK(ahead(state, box) == 0);
}

TEST_CASE("of a study with long and short cells, the long ones are not recorded ahead") {
  Turns world(0.001);
  world.length = [](const kernel::JobSpec& job) { return job.values.at("algorithm") == "bubble" ? 3.0 : 0.001; };
  world.study(2);
  CHECK(world.executor.in_turn.empty());  // They alternate, so never are eight short ones in a row.

  Turns ends_long(0.001);
  int ran = 0;
  ends_long.length = [&](const kernel::JobSpec&) { return ++ran > 10 ? 3.0 : 0.001; };
  ends_long.study(2);
  CHECK(ends_long.executor.in_turn.size() <= 4);
}

TEST_CASE("what waits for its turn is taken back when the study pauses, a run fails, or another study comes") {
  const auto stalled = [](Turns& world) { return world.executor.in_turn.size() == 2; };
  const auto withdrawn = [](Turns& world, kernel::Loop& loop) {
    loop.run([&](const kernel::State&) { return !world.executor.withdrawn.empty(); });
    CHECK(world.executor.withdrawn == std::vector<std::string>{"/runs/s1"});
  };
  for (const std::string what : {"pause", "other", "jobs"}) {
    INFO(what);
    Turns world(0.001);
    world.executor.holds = true;
    world.open(small_spec({quick_is_faster()}), 2);
    kernel::Loop loop(world.parts());
    loop.run([&](const kernel::State&) { return stalled(world); });
    CHECK(world.executor.withdrawn.empty());
    if (what == "pause") world.say(kernel::Pause{});
    if (what == "other") world.open(small_spec({quick_is_faster()}), 2, "s2");
    if (what == "jobs") world.say(kernel::Resume{world.clock.boot, 3, {}});
    withdrawn(world, loop);
  }
}
