// Who gets the machine: leases fit what there is, studies take turns, nobody starves.

#include "kernel/loop/admission.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "kernel/loop/turns.h"
#include "kernel/study/ledger.h"
#include "tests/kernel/loop/waiting_study.h"
#include "tests/kernel/studies/world.h"

using kernel::admit;
using kernel::Grant;
using kernel::Machine;
using kernel::Time;

namespace {

constexpr std::int64_t gib = 1 << 30;

/// A state of studies with runs that wait.
struct Home {
  kernel::State state;
  std::int64_t now = 1'000'000;

  kernel::Study& study(const std::string& id, int waiting, int jobs, const kernel::Resources& need = {}) {
    kernel::Study& s = test::waiting_study(state, id, waiting, jobs, need);
    s.waiting_since_ms = now;
    return s;
  }

  /// A study whose first run took so long, and whose others wait.
  kernel::Study& study_with_past(const std::string& id, std::int64_t took_ms, int waiting) {
    kernel::Study& s = study(id, waiting + 1, 1);
    s.queue.pop_front();
    kernel::Run& ended = s.runs.front();
    ended.state = kernel::RunState::succeeded;
    ended.started_ms = 1'000;
    ended.ended_ms = ended.started_ms + took_ms;
    return s;
  }

  std::vector<Grant> admitted(const Machine& machine) { return admit(state, machine, Time{0, now}); }

  /// Starts what is admitted.
  std::vector<Grant> start(const Machine& machine) {
    std::vector<Grant> grants = admitted(machine);
    for (const Grant& grant : grants) {
      kernel::Study& s = state.studies.at(grant.study);
      std::erase(s.queue, grant.run);
      s.live.insert(grant.run);
      s.runs[static_cast<std::size_t>(grant.run) - 1].lease = grant.lease;
      s.waiting_since_ms = now;
    }
    return grants;
  }
  void end(const std::string& id, int run) { state.studies.at(id).live.erase(run); }
};

kernel::Resources needing(int cpus, std::int64_t memory = 0, int gpus = 0) {
  kernel::Resources need;
  need.cpus = cpus;
  if (memory > 0) need.memory_bytes = memory;
  need.gpus = gpus;
  return need;
}

Machine machine(int cpus, std::int64_t memory = 0, std::vector<kernel::AvailableGpu> gpus = {}) {
  return {cpus, memory, std::move(gpus), {}};
}

int granted(const std::vector<Grant>& grants, const std::string& study) {
  return static_cast<int>(
      std::count_if(grants.begin(), grants.end(), [&](const Grant& grant) { return grant.study == study; }));
}

}  // namespace

TEST_CASE("a study gets as many runs as -j says, in the order of its queue, and its person may promise more CPUs") {
  Home home;
  home.study("s1", 10, 4);
  const std::vector<Grant> grants = home.admitted(machine(2));
  REQUIRE(grants.size() == 4);
  for (int i = 0; i < 4; ++i) CHECK(grants[static_cast<std::size_t>(i)].run == i + 1);
}

TEST_CASE("nothing of a study starts that is being cancelled or has concluded, though runs wait") {
  Home home;
  home.study("s1", 3, 4).cancelling = true;
  home.study("s2", 3, 4).outcome = kernel::StudyOutcome::failed;
  CHECK(home.admitted(machine(4)).empty());
}

TEST_CASE("two studies share the machine evenly") {
  Home home;
  home.study("s1", 10, 4);
  home.study("s2", 10, 4);
  const std::vector<Grant> grants = home.admitted(machine(4));
  CHECK(grants.size() == 4);
  CHECK(granted(grants, "s1") == 2);
  CHECK(granted(grants, "s2") == 2);
}

TEST_CASE("what a study comes to find taken it gets as it becomes free, until both have the same") {
  Home home;
  home.study("s1", 10, 4);
  CHECK(home.start(machine(4)).size() == 4);
  home.study("s2", 10, 4);
  CHECK(home.start(machine(4)).empty());
  for (int run : {1, 2}) {
    home.end("s1", run);
    const std::vector<Grant> grants = home.start(machine(4));
    REQUIRE(grants.size() == 1);
    CHECK(grants[0].study == "s2");
  }
  home.end("s1", 3);
  CHECK(home.start(machine(4)).front().study == "s1");
}

TEST_CASE(
    "of studies that hold the same, the one whose next run is the shortest goes first, until the other has aged") {
  Home home;
  home.study_with_past("s1", 60'000, 5);
  home.study_with_past("s2", 1'000, 5);
  std::vector<std::string> order;
  // One place. Each run of s2 takes a second, one of s1 a minute; s2 always has another run.
  for (int i = 0; i < 40; ++i) {
    const std::vector<Grant> grants = home.start(machine(1));
    REQUIRE(grants.size() == 1);
    order.push_back(grants[0].study);
    home.now += grants[0].study == "s1" ? 60'000 : 1'000;
    home.end(grants[0].study, grants[0].run);
    kernel::Study& s = home.state.studies.at(grants[0].study);
    s.queue.push_back(grants[0].run);
  }
  for (int i = 0; i < 29; ++i) CHECK(order[static_cast<std::size_t>(i)] == "s2");
  // s1 is not passed over for longer than the ageing, and then s2, which has waited for a minute, is first again.
  CHECK(std::ranges::find(order, "s1") - order.begin() <= 31);
  CHECK(std::ranges::count(order, "s1") >= 1);
}

TEST_CASE("fair share comes before short runs, and a study of which nothing is known before both") {
  Home home;
  home.study_with_past("s1", 60'000, 5);
  home.study_with_past("s2", 1'000, 5).jobs = 4;
  const std::vector<Grant> grants = home.admitted(machine(2));
  REQUIRE(grants.size() >= 2);
  CHECK(grants[0].study == "s2");
  CHECK(grants[1].study == "s1");
  home.study("s3", 5, 1);
  CHECK(home.admitted(machine(1)).front().study == "s3");
}

TEST_CASE("a study of a greater priority starts its runs first, whatever the other holds or expects") {
  Home home;
  home.study_with_past("s1", 1'000, 5);
  home.study_with_past("s2", 60'000, 5).priority = 1;
  home.study_with_past("s3", 1'000, 5).priority = -1;
  home.state.studies.at("s2").jobs = 4;
  std::vector<std::string> order;
  for (const Grant& grant : home.admitted(machine(8))) order.push_back(grant.study);
  CHECK(order == std::vector<std::string>{"s2", "s2", "s2", "s2", "s1", "s3"});
}

TEST_CASE("a priority starves no other, however long the runs are") {
  for (const std::int64_t run_ms : {std::int64_t{1'000}, std::int64_t{60'000}, std::int64_t{3'600'000}}) {
    CAPTURE(run_ms);
    Home home;
    home.study("s1", 5, 1).priority = 2;
    home.study("s2", 5, 1);
    int first = 0, second = 0;
    for (const std::int64_t end = home.now + 20 * kernel::priority_step_ms + 20 * run_ms; home.now < end;) {
      const std::vector<Grant> grants = home.start(machine(1));
      REQUIRE(grants.size() == 1);
      ++(grants[0].study == "s1" ? first : second);
      home.now += run_ms;
      home.end(grants[0].study, grants[0].run);
      home.state.studies.at(grants[0].study).queue.push_back(grants[0].run);
    }
    CHECK(first > second);
    CHECK(second >= 3);
  }
}

TEST_CASE("each ten minutes of a wait count as one priority") {
  using kernel::urgency_of;
  CHECK(urgency_of(3, 0) == 3);
  CHECK(urgency_of(-2, kernel::priority_step_ms - 1) == -2);
  CHECK(urgency_of(-2, kernel::priority_step_ms) == -1);
  CHECK(urgency_of(0, 25 * kernel::priority_step_ms) == 25);
  // A clock that was set back does not lower it.
  CHECK(urgency_of(1, -5) == 1);
}

TEST_CASE("the order of turns is the same whichever of two studies is asked about first") {
  using kernel::goes_before;
  std::vector<kernel::Turn> turns;
  for (const bool aged : {true, false})
    for (const std::int64_t since : {5, 9})
      for (const std::size_t gpus : {0u, 1u})
        for (const double expected : {1.0, 8.0})
          for (const char* id : {"s2", "s10"})
            for (const std::int64_t urgency : {0, 1}) turns.push_back({id, since, aged, gpus, 2, expected, urgency});
  for (const kernel::Turn& a : turns)
    for (const kernel::Turn& b : turns) CHECK_FALSE((goes_before(a, b) && goes_before(b, a)));
  std::ranges::sort(turns, goes_before);
  CHECK(turns.front().urgency == 1);
  CHECK(turns.front().aged);
  CHECK(turns.front().waiting_since_ms == 5);
  CHECK(turns.front().study == "s2");
  CHECK(turns.back().urgency == 0);
  CHECK(turns.back().gpus == 1);
  CHECK(turns.back().study == "s10");
}

TEST_CASE("memory is never promised twice, and a study that set no limit reserves none") {
  Home home;
  home.study("s1", 10, 8, needing(1, 3 * gib));
  CHECK(home.start(machine(8, 8 * gib)).size() == 2);
  home.study("s2", 10, 2);
  CHECK(home.start(machine(8, 8 * gib)).size() == 2);
}

TEST_CASE("memory that no file names is reserved as earlier runs took it, and the whole machine if that is more") {
  Home home;
  kernel::Study& study = home.study("s1", 6, 6, needing(1));
  study.cells = {kernel::Cell{}};
  study.peaks[{0, ""}] = {2 * gib, 0};
  const std::vector<Grant> grants = home.start(machine(8, 7 * gib));
  REQUIRE(grants.size() == 3);  // 2.2 GiB each.
  CHECK(grants[0].lease.memory_bytes == std::llround(2.2 * gib));
  study.peaks[{0, ""}] = {9 * gib, 0};
  CHECK(home.start(machine(8, 7 * gib)).empty());
  for (const int run : {1, 2, 3}) home.end("s1", run);
  CHECK(home.start(machine(8, 7 * gib)).size() == 1);
}

TEST_CASE(
    "a run that is expected to take more memory than there is waits for all of it, and is named with the numbers") {
  Home home;
  kernel::Study& s = home.study("s1", 2, 2);
  s.cells = {{}};
  s.peaks[{0, ""}] = {100 * gib, 0};
  kernel::Study& other = home.study("s2", 1, 1, needing(1, 10 * gib));
  std::vector<kernel::MemoryShortage> shortages;
  const auto admitted = [&] {
    shortages.clear();
    return admit(home.state, machine(8, 64 * gib), Time{0, home.now}, &shortages);
  };
  // Nothing runs: it gets all there is.
  other.queue.clear();
  std::vector<Grant> grants = admitted();
  REQUIRE(grants.size() == 1);
  CHECK(grants[0].lease.memory_bytes == 64 * gib);
  CHECK(grants[0].lease.forecast_bytes == 110 * gib);
  // The second waits for the first.
  REQUIRE(shortages.size() == 1);
  CHECK(shortages[0].run == 2);
  CHECK(shortages[0].free_bytes == 0);
  // Another study has some of it.
  other.queue = {1};
  s.queue.clear();
  CHECK(home.start(machine(8, 64 * gib)).size() == 1);
  s.queue = {1};
  CHECK(admitted().empty());
  REQUIRE(shortages.size() == 1);
  CHECK(shortages[0].study == "s1");
  CHECK(shortages[0].run == 1);
  CHECK_FALSE(shortages[0].on_device);
  CHECK(shortages[0].forecast_bytes == 110 * gib);
  CHECK(shortages[0].free_bytes == 54 * gib);
  CHECK(shortages[0].all_bytes == 64 * gib);
  // One that fits in an idle machine merely waits its turn.
  s.peaks[{0, ""}] = {55 * gib, 0};
  CHECK(admitted().empty());
  CHECK(shortages.empty());
}

TEST_CASE("the same on devices") {
  Home home;
  kernel::Study& s = home.study("s1", 2, 2, needing(1, 0, 1));
  s.cells = {{}};
  s.peaks[{0, ""}] = {0, 30 * gib};
  std::vector<kernel::MemoryShortage> shortages;
  const Machine two = machine(8, 0, {{"a", 24 * gib}, {"b", 16 * gib}});
  const std::vector<Grant> grants = admit(home.state, two, Time{0, home.now}, &shortages);
  REQUIRE(grants.size() == 1);
  CHECK(grants[0].lease.gpus == std::vector<std::string>{"a"});
  CHECK(grants[0].lease.forecast_gpu_bytes == 33 * gib);
  REQUIRE(shortages.size() == 1);
  CHECK(shortages[0].on_device);
  CHECK(shortages[0].forecast_bytes == 33 * gib);
  CHECK(shortages[0].free_bytes == 16 * gib);
  CHECK(shortages[0].all_bytes == 24 * gib);
}

TEST_CASE("a run goes to a device on which earlier ones would have had room") {
  Home home;
  kernel::Study& study = home.study("s1", 4, 4, needing(1, 0, 1));
  study.cells = {kernel::Cell{}};
  study.peaks[{0, ""}] = {0, 20 * gib};
  const std::vector<Grant> grants = home.start(machine(8, 0, {{"GPU-a", 16 * gib}, {"GPU-b", 24 * gib}}));
  REQUIRE(grants.size() == 1);
  CHECK(grants[0].lease.gpus == std::vector<std::string>{"GPU-b"});
}

TEST_CASE("devices are leased whole, to one run at a time, and only those with memory enough") {
  Home home;
  kernel::Resources need = needing(1, 0, 1);
  need.gpu_memory_bytes = 20 * gib;
  home.study("s1", 10, 8, need);
  const Machine box = machine(8, 0, {{"GPU-a", 16 * gib}, {"GPU-b", 24 * gib}, {"GPU-c", 80 * gib}});
  const std::vector<Grant> grants = home.start(box);
  REQUIRE(grants.size() == 2);
  CHECK(grants[0].lease.gpus == std::vector<std::string>{"GPU-b"});
  CHECK(grants[1].lease.gpus == std::vector<std::string>{"GPU-c"});
  CHECK(home.start(box).empty());
  home.end("s1", grants[0].run);
  CHECK(home.start(box).front().lease.gpus == std::vector<std::string>{"GPU-b"});
}

TEST_CASE("GPU hours are reserved: no runs start that could together take more than is left") {
  Home home;
  kernel::Resources need = needing(1, 0, 1);
  need.timeout_s = 3600 - kernel::most_after_time_out_s;
  kernel::Study& study = home.study("s1", 6, 6, need);
  study.spec.budget.gpu_hours = 3.5;
  const Machine box = machine(8, 0, {{"GPU-a", 0}, {"GPU-b", 0}, {"GPU-c", 0}, {"GPU-d", 0}, {"GPU-e", 0}});
  CHECK(home.start(box).size() == 3);
  CHECK(home.start(box).empty());
  // One that ends early gives back what it did not use.
  home.end("s1", 1);
  kernel::Account account;
  account.gpu_seconds = 360;
  study.accounts.push_back(account);
  CHECK(home.start(box).size() == 1);
  CHECK(home.start(box).empty());
  // A gate on spending stands before the next run, as the budget does.
  study.spec.budget.gpu_hours = 100;
  kernel::GateSpec gate;
  gate.on = kernel::GateOn::spend;
  gate.above.gpu_hours = 4.2;
  study.spec.gates = {gate};
  CHECK(home.start(box).size() == 1);
  CHECK(home.start(box).empty());
}

TEST_CASE("a device that still holds a dead run's memory is nobody's") {
  Home home;
  home.study("s1", 10, 8, needing(1, 0, 1));
  Machine box = machine(8, 0, {{"GPU-a", 0}, {"GPU-b", 0}});
  box.unclean = {"GPU-a"};
  const std::vector<Grant> grants = home.admitted(box);
  REQUIRE(grants.size() == 1);
  CHECK(grants[0].lease.gpus == std::vector<std::string>{"GPU-b"});
}

TEST_CASE("shares of devices: several runs on one, packed, never more than the whole, and whole devices stay whole") {
  Home home;
  kernel::Resources half = needing(1, 0, 1), quarter = half;
  half.gpu_share = 500;
  quarter.gpu_share = 250;
  home.study("half", 2, 2, half);
  home.study("quarter", 3, 3, quarter);
  home.study("whole", 1, 1, needing(1, 0, 1));
  const Machine box = machine(16, 0, {{"GPU-a", 80 * gib}, {"GPU-b", 80 * gib}, {"GPU-c", 80 * gib}});
  std::map<std::string, int> used;
  for (const Grant& grant : home.start(box)) {
    REQUIRE(grant.lease.gpus.size() == 1);
    used[grant.lease.gpus[0]] += grant.lease.gpu_share.value_or(1000);
    CHECK(grant.lease.gpu_share.has_value() == (grant.study != "whole"));
  }
  CHECK(home.state.studies.at("whole").live.size() == 1);
  CHECK(home.state.studies.at("half").live.size() == 2);
  CHECK(home.state.studies.at("quarter").live.size() == 3);
  CHECK(used.size() == 3);
  for (const auto& [gpu, share] : used) CHECK(share <= 1000);

  // Where memory is asked for, it is that of the share.
  kernel::StudySpec spec;
  spec.resources = half;
  spec.resources.gpu_memory_bytes = 40 * gib - gib;
  CHECK(kernel::never_fits(spec, box).empty());
  spec.resources.gpu_memory_bytes = 41 * gib;
  CHECK(kernel::never_fits(spec, box) ==
        "resources.gpus: 0.5: this machine has 0 with at least 44.02 GB in that share");
  spec.resources.gpu_memory_bytes.reset();
  CHECK(kernel::never_fits(spec, machine(2, 0, {{"slurm:0", 0, false}})) ==
        "resources.gpus: 0.5: this machine has 0 of which runs may have shares");
  spec.resources = needing(1, 0, 2);
  CHECK(kernel::never_fits(spec, machine(2, 0, {{"MIG-1", 0}, {"MIG-2", 0}})) ==
        "resources.gpus: 2: this machine has 0, without the instances of divided ones, of which a run uses one");
  spec.resources = needing(1, 0, 1);
  CHECK(kernel::never_fits(spec, machine(2, 0, {{"MIG-1", 0}})).empty());
}

TEST_CASE("a share takes what it uses of the GPU hours") {
  Home home;
  kernel::Resources quarter = needing(1, 0, 1);
  quarter.gpu_share = 250;
  quarter.timeout_s = 3600 - kernel::most_after_time_out_s;
  home.study("s1", 6, 6, quarter).spec.budget.gpu_hours = 0.8;
  CHECK(home.start(machine(8, 0, {{"GPU-a", 0}, {"GPU-b", 0}})).size() == 3);
}

TEST_CASE("only a study that nothing but unfree devices keeps from going on is without devices") {
  Home home;
  home.study("gpu", 2, 2, needing(1, 0, 1));
  home.study("cpu", 2, 2);
  home.study("two", 2, 2, needing(1, 0, 2));
  Machine box = machine(8, 0, {{"GPU-a", 0}, {"GPU-b", 0}});
  const auto without = [&] { return kernel::studies_without_devices(home.state, box, Time{0, home.now}); };
  CHECK(without().empty());
  box.unclean = {"GPU-a"};
  CHECK(without() == std::vector<std::string>{"two"});
  box.unclean = {"GPU-a", "GPU-b"};
  CHECK(without() == std::vector<std::string>{"gpu", "two"});
  box.unclean = {"GPU-a"};
  home.start(box);
  // One still runs, and the other study waits for its device, too.
  box.unclean = {"GPU-a", "GPU-b"};
  CHECK(without().empty());
}

TEST_CASE("a run that needs all of the machine is passed over only so long: then what it lacks is kept for it") {
  Home home;
  home.study("small", 1000, 4);
  CHECK(home.start(machine(4)).size() == 4);
  home.study("large", 1, 1, needing(4));
  int small_run = 1;
  // The small ones come and go, one at a time: without ageing the large one would never find four free at once.
  for (int second = 1; second <= 29; ++second) {
    home.now += 1000;
    home.end("small", small_run++);
    CHECK(granted(home.start(machine(4)), "small") == 1);
  }
  home.now += 2000;
  for (int i = 0; i < 3; ++i) {
    home.end("small", small_run++);
    CHECK(home.start(machine(4)).empty());
  }
  home.end("small", small_run++);
  const std::vector<Grant> grants = home.start(machine(4));
  REQUIRE(granted(grants, "large") == 1);
  CHECK(granted(grants, "small") == 0);
}

TEST_CASE("while a run waits for devices, runs that need none go on") {
  Home home;
  home.study("gpu", 2, 2, needing(1, 0, 1));
  home.study("cpu", 10, 8);
  Machine box = machine(4, 0, {{"GPU-a", 0}});
  CHECK(granted(home.start(box), "gpu") == 1);
  home.now += 10 * kernel::ageing_ms;
  home.end("cpu", *home.state.studies.at("cpu").live.begin());
  const std::vector<Grant> grants = home.start(box);
  CHECK(granted(grants, "cpu") >= 1);
}

TEST_CASE("a retry that waits for its time is passed over until then") {
  Home home;
  kernel::Study& study = home.study("s1", 2, 1);
  study.delayed[1] = home.now + 500;
  CHECK(home.admitted(machine(2)).front().run == 2);
  CHECK(kernel::next_retry_ms(home.state, Time{0, home.now}) == home.now + 500);
  home.now += 500;
  CHECK(home.admitted(machine(2)).front().run == 1);
  CHECK_FALSE(kernel::next_retry_ms(home.state, Time{0, home.now}));
}

TEST_CASE("what no machine like this can run is said beforehand") {
  kernel::StudySpec spec;
  spec.resources = needing(4, 0, 0);
  CHECK(kernel::never_fits(spec, machine(2)).find("resources.cpus: 4") == 0);
  spec.resources = needing(1, 3 * gib, 0);
  CHECK(kernel::never_fits(spec, machine(2, 2 * gib)).find("resources.memory") == 0);
  spec.resources = needing(1, 0, 1);
  CHECK(kernel::never_fits(spec, machine(2)) == "resources.gpus: 1: this machine has 0");
  spec.resources.gpu_memory_bytes = 40 * gib;
  CHECK(kernel::never_fits(spec, machine(2, 0, {{"GPU-a", 24 * gib}})) ==
        "resources.gpus: 1: this machine has 0 with at least 42.95 GB");
  CHECK(kernel::never_fits(spec, machine(2, 0, {{"GPU-a", 80 * gib}})).empty());
  spec.resources = needing(1, 0, 0);
  spec.resources.node = "machine";
  CHECK(kernel::never_fits(spec, machine(2)).starts_with("resources.node: machine: this machine is one node"));
  kernel::Machine cluster = machine(2);
  cluster.has_nodes = true;
  CHECK(kernel::never_fits(spec, cluster).empty());
}

TEST_CASE("every run's lease and company are in the log") {
  World world(honest);
  world.open(small_spec({quick_is_faster()}), 2);
  const kernel::Study study = finished(world);
  bool accompanied = false;
  for (const kernel::Run& run : study.runs) {
    CHECK(run.lease.cpus == 1);
    CHECK(run.beside <= 1);
    accompanied = accompanied || run.beside == 1;
  }
  CHECK(accompanied);
}
