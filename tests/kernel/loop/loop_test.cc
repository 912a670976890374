// The loop as its surroundings see it: what it may spend and start at once, and the log that it leaves.

#include "kernel/loop/loop.h"

#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/codec/codec.h"
#include "kernel/decide/fork_maker.h"
#include "kernel/study/ledger.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/studies/world.h"

using kernel::RunState;

TEST_CASE("a run budget pauses the study with what is paid for finished, and a raised one continues it") {
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.budget.runs = 11;
  World world(honest);
  world.open(spec);
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.state == kernel::StudyState::paused);
  CHECK(study.pause_reason == kernel::PauseReason::budget);
  CHECK(kernel::spent(study).runs == 11);
  CHECK(study.live.empty());
  CHECK(!study.hypotheses.at(0).result);

  kernel::Budget raised;
  raised.runs = 100;
  world.go_on(loop, raised);
  CHECK(study.state == kernel::StudyState::ended);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
}

TEST_CASE("a job without a time-out has the wall budget as its own, so that one that hangs ends with it") {
  std::set<std::optional<double>> limits;
  World world([&](const kernel::JobSpec& job) {
    limits.insert(job.resources.timeout_s);
    return honest(job);
  });
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.resources.timeout_s.reset();
  spec.budget.wall_s = 1000;
  world.open(spec);
  finished(world);
  CHECK(limits == std::set<std::optional<double>>{1000});
}

TEST_CASE("a wall budget stops new spending once its time is over") {
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.budget.wall_s = 10;
  World world(honest);
  fakes::FakeClock& clock = world.clock;
  world.executor.job = [&clock](const kernel::JobSpec& job) {
    clock.boot_ms += 1000;
    return honest(job);
  };
  world.open(spec);
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.pause_reason == kernel::PauseReason::budget);
  CHECK(kernel::spent(study).runs < 14);
}

TEST_CASE("never more jobs run at once than the study was given") {
  World world(honest);
  world.executor.silent = true;
  world.open(small_spec({quick_is_faster()}), 3);
  kernel::Loop loop(world.parts());
  int turns = 0;
  // Each report that a job started is a turn in which nothing more may start.
  loop.run([&](const kernel::State&) { return !world.executor.started.empty() && ++turns > 1; });
  CHECK(world.executor.started.size() == 3);
}

TEST_CASE("replaying the log gives the state that the loop had") {
  World world(honest);
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  const kernel::State again = world.replayed();
  CHECK(kernel::study_shape(*again.study("s1"), "h") == kernel::study_shape(study, "h"));
  for (std::size_t i = 0; i < study.runs.size(); ++i)
    CHECK(kernel::run_shape(*again.study("s1"), again.study("s1")->runs[i]) == kernel::run_shape(study, study.runs[i]));
}

TEST_CASE("every event survives its encoding") {
  World world(honest);
  world.open(small_spec({quick_is_faster()}));
  finished(world);
  for (const kernel::Event& e : world.log) {
    const std::string bytes = kernel::encode(e.body);
    CHECK(kernel::encode(kernel::decode(kernel::type_name(e.body), kernel::event_version, bytes)) == bytes);
  }
}

TEST_CASE("a kernel that dies at any commit leaves a log from which another reaches the same verdict") {
  int commits = 0;
  {
    World world(honest);
    world.open(small_spec({quick_is_faster()}));
    finished(world);
    commits = world.commits;
  }
  REQUIRE(commits > 10);
  for (int death = 2; death <= commits; ++death) {
    World world(honest);
    world.fail_at_commit = death;
    world.open(small_spec({quick_is_faster()}));
    {
      kernel::Loop loop(world.parts());
      CHECK_THROWS_WITH(loop.run(World::at_rest), "the disk is gone");
    }
    world.fail_at_commit = 0;
    world.inbox.post(kernel::Leave{});
    world.inbox.take();  // What was on its way to the dead kernel is gone.
    kernel::Loop second(world.parts());
    world.take_up();
    second.run(World::at_rest);
    const kernel::Study& study = *second.state().study("s1");
    REQUIRE(study.hypotheses.at(0).result);
    CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
    CHECK(count(study, kernel::Purpose::registered) == 24);
    CHECK(study.counted.in[static_cast<std::size_t>(RunState::succeeded)] == 28);
  }
}

TEST_CASE("the time without a kernel is no wall time, whatever the dead kernel had under way, also after a reboot") {
  const bool reboots = GENERATE(false, true);
  const bool pauses = GENERATE(false, true);
  World world(honest);
  world.executor.silent = true;
  world.open(small_spec({quick_is_faster()}));
  {
    kernel::Loop loop(world.parts());
    loop.run([](const kernel::State& state) { return state.study("s1") && !state.study("s1")->live.empty(); });
    world.clock.boot_ms += 10'000;
    const kernel::LineSubject subject{kernel::LinePurpose::analyse, 1};
    world.inbox.post(kernel::Command{"s1", "analysis", kernel::OpenLine{"analysis-1", "to read", subject}});
    world.inbox.post(kernel::Command{"s1", "analysis", kernel::AskModel{"analysis-1", "small", {}, 100, 0.1}});
    if (pauses) world.inbox.post(kernel::Command{"s1", "person", kernel::Pause{}});
    loop.run([&](const kernel::State& state) {
      return state.study("s1")->thinking.under_way == 1 &&
             (state.study("s1")->state == kernel::StudyState::paused) == pauses;
    });
  }
  const double before = world.replayed().study("s1")->wall_spent_s();
  CHECK(before >= 10);
  world.clock.boot_ms += 3'600'000;
  if (reboots) world.clock.boot_ms = 50;
  kernel::CommandBody body = kernel::Resume{world.clock.boot, 0, {}};
  if (pauses) body = kernel::CancelRun{static_cast<int>(world.replayed().study("s1")->runs.size())};
  world.inbox.post(kernel::ContinueStudy{*world.replayed().study("s1"), {"s1", "person", body}, {}});
  kernel::Loop second(world.parts());
  second.run(
      [](const kernel::State& state) { return state.study("s1") && state.study("s1")->thinking.under_way == 0; });
  const kernel::Study& study = *second.state().study("s1");
  CHECK(study.wall_spent_s() == Approx(before).margin(0.1));
  CHECK((study.state == kernel::StudyState::paused) == pauses);
}

namespace {

/// An earlier kernel saw the end of a launch on a device, and the device is free before this one has read what was
/// left.
struct FreedEarly : kernel::Executor {
  FreedEarly(World& all, std::string ended) : world(all), launch(std::move(ended)) {}
  void start(const kernel::JobSpec&) override { ++started; }
  void adopt(const kernel::JobSpec& spec) override {
    world.inbox.post(kernel::DevicesFreed{launch});
    kernel::ReportEnd end = honest(spec);
    end.run = kernel::run_number(spec.run);
    end.outcome.token = spec.token;
    world.inbox.post(kernel::Command{"s1", "kernel", end});
  }
  void cancel(const std::string&) override {}
  std::map<std::string, std::vector<std::string>> held_devices(const std::string&) override {
    return {{launch, {"gpu"}}};
  }
  World& world;
  std::string launch;
  int started = 0;
};

}  // namespace

TEST_CASE("a job holds its devices until it ended, though no kernel has taken its study up since its own died") {
  World world(honest);
  world.machine = {4, 0, {{"gpu", 0}}, {}};
  world.executor.silent = true;
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.resources.gpus = 1;
  world.open(spec, 1);
  {
    kernel::Loop first(world.parts());
    first.run([](const kernel::State& state) { return state.study("s1") && !state.study("s1")->live.empty(); });
  }
  const kernel::State left = world.replayed();
  const kernel::Study& study = *left.study("s1");
  world.inbox.post(kernel::Leave{});
  world.inbox.take();
  const std::string launch = "s1/" + kernel::launch_name(study.run(*study.live.begin())->token);
  FreedEarly executor(world, launch);
  kernel::LoopParts parts = world.parts();
  kernel::Loop second({parts.store, executor, parts.clock, parts.observer, parts.inbox, parts.places, parts.machine,
                       parts.agent, parts.package, parts.token, parts.draw});
  world.open(spec, 1, "s2");
  int takes = 0;
  second.run([&](const kernel::State&) { return ++takes == 2; });
  REQUIRE(second.state().study("s2")->queue.size() > 0);
  CHECK(executor.started == 0);
  world.inbox.post(kernel::DevicesFreed{launch});
  second.run([&](const kernel::State&) { return ++takes == 4; });
  CHECK(executor.started == 1);
}

TEST_CASE("a device that becomes free before the end of its run is recorded is leased again") {
  World world(honest);
  world.machine = {4, 0, {{"gpu", 0}}, {}};
  world.executor.silent = true;
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.resources.gpus = 1;
  world.open(spec, 1);
  {
    kernel::Loop first(world.parts());
    first.run([](const kernel::State& state) { return state.study("s1") && !state.study("s1")->live.empty(); });
  }
  const kernel::State left = world.replayed();
  const kernel::Study& study = *left.study("s1");
  world.inbox.post(kernel::Leave{});
  world.inbox.take();
  FreedEarly executor(world, "s1/" + kernel::launch_name(study.run(*study.live.begin())->token));
  kernel::LoopParts parts = world.parts();
  kernel::Loop second({parts.store, executor, parts.clock, parts.observer, parts.inbox, parts.places, parts.machine,
                       parts.agent, parts.package, parts.token, parts.draw});
  world.take_up();
  int takes = 0;
  second.run([&](const kernel::State&) { return ++takes == 3; });
  CHECK(executor.started == 1);
}

TEST_CASE("a study that only waits for devices that nobody frees is paused with the reason") {
  World world(honest);
  world.machine = {4, 0, {{"gpu", 0}}, {"gpu"}};
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.resources.gpus = 1;
  world.open(spec, 1);
  const kernel::Reason why{kernel::ReasonCode::devices_not_freed,
                           {{"holders", std::string("GPU gpu is not free: process 7 holds 2 GB")}, {"minutes", 10.0}}};
  kernel::Loop loop(world.parts());
  loop.run([](const kernel::State& state) { return state.study("s1") && !state.study("s1")->queue.empty(); });
  world.inbox.post(kernel::DevicesHeld{why});
  loop.run(World::at_rest);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.state == kernel::StudyState::paused);
  CHECK(study.pause_reason == kernel::PauseReason::devices);
  CHECK(newest_words(study.pause_detail) ==
        "GPU gpu is not free: process 7 holds 2 GB, 10 minutes after the run ended");
  CHECK(study.runs.size() == study.queue.size());
}

TEST_CASE("a fork takes no device from anybody, though its past has runs on devices") {
  World world(honest);
  world.machine = {4, 0, {{"gpu", 0}}, {}};
  world.executor.job = [&world](const kernel::JobSpec& job) {
    world.inbox.post(kernel::DevicesFreed{"s1/" + kernel::launch_name(job.token)});
    return honest(job);
  };
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.resources.gpus = 1;
  world.open(spec, 1);
  kernel::Loop loop(world.parts());
  loop.run([](const kernel::State& state) { return state.study("s1") && state.study("s1")->runs.size() > 10; });
  world.inbox.post(kernel::Command{"s1", "person", kernel::Pause{}});
  loop.run(World::at_rest);
  kernel::ForkMaker maker("s1", static_cast<std::int64_t>(world.log.size()), "s2");
  kernel::StoredEvent stored;
  for (const kernel::Event& event : world.log) {
    const std::int64_t seq = stored.seq;
    stored = kernel::to_stored(event, stored.hash.empty() ? std::string(kernel::chain_start) : stored.hash);
    stored.seq = seq + 1;
    maker.read(stored);
  }
  world.executor.silent = true;
  const std::size_t before = world.executor.started.size();
  world.inbox.post(kernel::Command{"s2", "person", std::move(maker).made()});
  world.inbox.post(kernel::Command{"s2", "person", kernel::Resume{world.clock.boot, 0, {}}});
  int takes = 0;
  loop.run([&](const kernel::State&) { return ++takes == 2; });
  CHECK(world.executor.started.size() == before + 1);
}
