// Short runs are recorded before their turn, so that none waits for a commit; long ones, and those that failed, are
// not.

#include <catch2/catch.hpp>

#include "kernel/loop/admission.h"
#include "kernel/loop/loop.h"
#include "tests/kernel/studies/world.h"

namespace {

/// Jobs of this length on a machine whose executor lets them take turns.
struct Turns : World {
  explicit Turns(double wall_s) : World([](const kernel::JobSpec& job) { return honest(job); }), length_s(wall_s) {
    machine.cpus = 4;
    machine.starts_in_turn = true;
    executor.job = [this](const kernel::JobSpec& job) {
      kernel::ReportEnd report = honest(job);
      report.outcome.usage.wall_s = length_s;
      return report;
    };
  }
  kernel::Study study(int jobs) {
    open(small_spec({quick_is_faster()}), jobs);
    return finished(*this);
  }

  double length_s;
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
  return admit_ahead(state, machine, {"s1"}, kernel::Time{0, 1'000'000}).size();
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
  CHECK(admit_ahead(waiting(20, 2, 2), box, {"s2"}, kernel::Time{0, 1'000'000}).empty());
}

TEST_CASE("nothing is recorded ahead beside another study that waits, for devices, or for more than a live run has") {
  kernel::Machine box{8, 0, {{"GPU-a", 0}}, {}};
  box.starts_in_turn = true;
  kernel::State two = waiting(20, 2, 2);
  kernel::Study other = two.studies.at("s1");
  other.id = "s2";
  two.studies["s2"] = other;
  CHECK(ahead(two, box) == 0);

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
