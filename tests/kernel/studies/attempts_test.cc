// Runs that are run again: those that ask for it, those whose launch was voided, those that were lost.

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

#include "kernel/decide/decide.h"
#include "kernel/study/ledger.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/studies/world.h"

using kernel::RunState;

TEST_CASE("a job that exits 75 runs again with its seed, at most twice, and only the last attempt is evidence") {
  std::map<std::string, int> attempts;
  World world([&](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    const std::string key = job.values.at("algorithm") + job.values.at("n") + std::to_string(job.seed);
    if (++attempts[key] < 3 && job.values.at("algorithm") == "quick") {
      report.outcome.exit = 75;
      report.measurement = {};
    }
    return report;
  });
  world.clock.tick_ms = 50;  // Retries wait a while.
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
  std::map<std::pair<int, std::uint64_t>, int> evidence;
  for (const kernel::Run& run : study.runs) {
    if (run.evidence()) ++evidence[{run.cell, run.seed}];
    CHECK(run.attempt <= 3);
  }
  for (const auto& [where, n] : evidence) CHECK(n == 1);
  // The verdict says how often a value could have been thrown away, and by which arm.
  const auto again = std::count_if(study.runs.begin(), study.runs.end(), [](const kernel::Run& run) {
    return run.purpose == kernel::Purpose::registered && run.superseded;
  });
  CHECK(again > 2);
  const std::string words = std::to_string(again) + " runs asked to be run again (exit 75; treatment " +
                            std::to_string(again) + ", control 0): ";
  const std::vector<std::string> warnings = kernel::newest_words(study.hypotheses.at(0).result->warnings);
  CHECK(std::count_if(warnings.begin(), warnings.end(),
                      [&](const std::string& warning) { return warning.starts_with(words); }) == 1);
}

TEST_CASE("where the study file does not allow retries, asking for one is a failure of the arm") {
  for (const bool allowed : {false, true}) {
    World world([](const kernel::JobSpec& job) {
      kernel::ReportEnd report = honest(job);
      if (job.values.at("algorithm") != "quick" || job.attempt > 1) return report;
      report.outcome.exit = 75;
      report.measurement = {};
      return report;
    });
    world.clock.tick_ms = 50;
    kernel::StudySpec spec = small_spec({quick_is_faster()});
    spec.design.rule = kernel::VerdictRule::one_interval;
    spec.design.smoke = false;
    spec.retries = allowed;
    world.open(spec);
    const kernel::Study study = finished(world);
    const kernel::HypothesisResult& result = *study.hypotheses.at(0).result;
    const auto repeated = std::ranges::count_if(study.runs, [](const kernel::Run& run) { return run.superseded; });
    CHECK((repeated > 0) == allowed);
    CHECK(result.verdict == (allowed ? kernel::Verdict::supported : kernel::Verdict::inconclusive));
    CHECK((result.failed[0] > 0) == !allowed);
    const auto denied = [](const kernel::Run& run) {
      return newest_words(run.reason).find("does not say `retries: allowed`") != std::string::npos;
    };
    CHECK(std::ranges::any_of(study.runs, denied) == !allowed);
    const auto named = [](const kernel::Reason& why) { return why.code == kernel::ReasonCode::retries_allowed; };
    CHECK(std::ranges::any_of(result.warnings, named) == allowed);
  }
}

TEST_CASE("a verdict whose runs were lost, or ran once, says nothing of runs that asked to be run again") {
  World world([](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    if (job.attempt == 1 && job.seed % 2 == 0) report.outcome.end = kernel::JobEnd::lost;
    return report;
  });
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  for (const std::string& warning : kernel::newest_words(study.hypotheses.at(0).result->warnings))
    CHECK(warning.find("asked to be run again") == warning.npos);
}

TEST_CASE("attempts of one run share a checkpoint and nothing else, and no other run sees it") {
  std::map<std::string, std::vector<kernel::JobSpec>> by_checkpoint;
  std::set<std::string> folders;
  World world([&](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    if (job.values.at("algorithm") == "quick" && job.attempt < 3) report.outcome.exit = 75;
    by_checkpoint[job.checkpoint].push_back(job);
    folders.insert(job.folder);
    return report;
  });
  world.clock.tick_ms = 50;  // Retries wait a while.
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  CHECK(folders.size() == study.runs.size());
  bool retried = false;
  for (const auto& [checkpoint, jobs] : by_checkpoint) {
    CHECK(jobs.size() == (jobs[0].values.at("algorithm") == "quick" ? 3u : 1u));
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      CHECK(jobs[i].attempt == static_cast<int>(i) + 1);
      CHECK(jobs[i].seed == jobs[0].seed);
    }
    retried = retried || jobs.size() == 3;
  }
  CHECK(retried);
}

TEST_CASE("a run whose launch was voided is launched again where nothing of the first launch lies") {
  World world(honest);
  world.open(small_spec({quick_is_faster()}), 1);
  world.executor.silent = true;
  kernel::Loop first(world.parts());
  first.run([&](const kernel::State&) { return !world.executor.started.empty(); });
  world.executor.silent = false;
  const kernel::JobSpec voided = world.executor.started.at(0);
  kernel::ReportEnd report;
  report.run = kernel::run_number(voided.run);
  report.outcome.run = voided.run;
  report.outcome.token = voided.token;
  report.outcome.end = kernel::JobEnd::voided;
  kernel::Loop second(world.parts());
  world.take_up();
  world.inbox.post(kernel::Command{"s1", "kernel", report});
  second.run(World::at_rest);
  const kernel::JobSpec& again = world.executor.started.at(1);
  CHECK(again.run == voided.run);
  CHECK(again.folder != voided.folder);
  CHECK(again.checkpoint != voided.checkpoint);
  CHECK(second.state().study("s1")->outcome == kernel::StudyOutcome::concluded);
}

namespace {

/// The study right after its first run was launched.
kernel::State launched(World& world) {
  world.executor.silent = true;
  world.open(small_spec({quick_is_faster()}), 1);
  kernel::Loop loop(world.parts());
  loop.run([&](const kernel::State&) { return !world.executor.started.empty(); });
  return world.replayed();
}

kernel::ReportEnd report_of(const kernel::JobSpec& job, kernel::JobEnd end) {
  kernel::ReportEnd report = honest(job);
  report.run = kernel::run_number(job.run);
  report.outcome.run = job.run;
  report.outcome.token = job.token;
  report.outcome.end = end;
  return report;
}

/// The state after the report.
kernel::State reported(kernel::State state, const kernel::ReportEnd& report) {
  for (const kernel::Event& event : kernel::decide(state, {"s1", "kernel", report}, {}).events)
    kernel::apply(state, event);
  return state;
}

}  // namespace

TEST_CASE("a voided launch leaves no living run") {
  World world(honest);
  const kernel::State before = launched(world);
  const kernel::JobSpec& job = world.executor.started.at(0);
  CHECK(before.study("s1")->live == std::set<int>{1});
  const kernel::State after = reported(before, report_of(job, kernel::JobEnd::voided));
  const kernel::Study& study = *after.study("s1");
  CHECK(study.live.empty());
  CHECK(study.queue.front() == 1);
  CHECK(study.run(1)->state == RunState::queued);
  CHECK(study.run(1)->token.empty());
  CHECK(kernel::spending_of(study, {}).runs.total() == 0);
}

TEST_CASE("a job's report under an old token is refused") {
  World world(honest);
  const kernel::State before = launched(world);
  const kernel::JobSpec& job = world.executor.started.at(0);
  kernel::State state = reported(before, report_of(job, kernel::JobEnd::voided));
  kernel::apply(state, {"s1", "kernel", {}, kernel::RunStarting{1, kernel::LaunchToken("second")}});

  kernel::ReportEnd report = report_of(job, kernel::JobEnd::exited);
  const kernel::Decision old = kernel::decide(state, {"s1", "kernel", report}, {});
  REQUIRE(kernel::why_not(old.outcome));
  CHECK(*kernel::why_not(old.outcome) == "s1-r1 has no live job under that token");
  CHECK(old.events.empty());
  report.outcome.token = kernel::LaunchToken("second");
  CHECK(reported(state, report).study("s1")->run(1)->state == RunState::succeeded);
}

TEST_CASE("a run that is being cancelled does not come back because its launch was voided") {
  World world(honest);
  world.open(small_spec({quick_is_faster()}), 1);
  world.executor.silent = true;
  kernel::Loop first(world.parts());
  first.run([&](const kernel::State&) { return !world.executor.started.empty(); });
  const kernel::Run run = world.replayed().study("s1")->runs.front();
  kernel::State state = world.replayed();
  kernel::apply(state, {"s1", "person", {}, kernel::RunCancellationRequested{run.number}});
  kernel::ReportEnd report;
  report.run = run.number;
  report.outcome.token = run.token;
  report.outcome.end = kernel::JobEnd::voided;
  const kernel::Decision decision = kernel::decide(state, {"s1", "kernel", report}, {});
  for (const kernel::Event& event : decision.events) kernel::apply(state, event);
  CHECK(state.study("s1")->run(run.number)->state == RunState::cancelled);
  CHECK(state.study("s1")->to_kill.empty());
}

TEST_CASE("a job that asks again and again is failed after two retries") {
  World world([](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    if (job.values.at("algorithm") == "quick") report.outcome.exit = 75;
    return report;
  });
  world.clock.tick_ms = 50;  // Retries wait a while.
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::inconclusive);
  for (const kernel::Run& run : study.runs) CHECK(run.attempt <= 3);
}

TEST_CASE("a lost run is run again with the same seed and is not evidence") {
  int losses = 0;
  World world([&](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    if (job.attempt == 1 && job.seed % 2 == 0 && losses++ < 3) {
      report.outcome.end = kernel::JobEnd::lost;
      report.measurement = {};
    }
    return report;
  });
  world.clock.tick_ms = 50;  // Retries wait a while.
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  REQUIRE(losses > 0);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
  for (const kernel::Run& run : study.runs) {
    if (run.state != RunState::lost) continue;
    CHECK(!run.evidence());
    CHECK(std::any_of(study.runs.begin(), study.runs.end(), [&](const kernel::Run& next) {
      return next.retry_of == run.number && next.seed == run.seed && next.cell == run.cell;
    }));
  }
}

TEST_CASE("what ended beside a full disk is run again with its seed, however often, and no verdict knows") {
  std::map<std::pair<std::string, std::uint64_t>, int> ends;
  World world([&](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    // One run is hit eight times in a row, and would have been a success.
    if (job.values.at("algorithm") == "quick" && job.seed % 6 == 1 && ++ends[{job.values.at("n"), job.seed}] <= 8) {
      report.outcome.end = kernel::JobEnd::no_room;
      report.outcome.reason = {kernel::ReasonCode::disk_full};
      report.outcome.started_ms = 17;
    }
    return report;
  });
  world.clock.tick_ms = 50;
  world.open(small_spec({quick_is_faster()}), 1);
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  int pauses = 0;
  while (loop.state().study("s1")->state == kernel::StudyState::paused && pauses < 100) {
    ++pauses;
    CHECK(loop.state().study("s1")->pause_reason == kernel::PauseReason::disk);
    CHECK(kernel::newest_words(loop.state().study("s1")->pause_detail) == "the disk of the run folder is full");
    world.go_on(loop);
  }
  REQUIRE_FALSE(ends.empty());
  CHECK(pauses == 8 * static_cast<int>(ends.size()));
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
  std::map<std::pair<int, std::uint64_t>, int> evidence;
  for (const kernel::Run& run : study.runs) {
    CHECK((run.state == RunState::succeeded || run.state == RunState::lost));
    if (run.evidence()) ++evidence[{run.cell, run.seed}];
  }
  for (const auto& [where, n] : evidence) CHECK(n == 1);
}

TEST_CASE("a launch that a full disk refused goes back to the queue and counts as no attempt") {
  bool full = true;
  World world([&](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    if (full) report.outcome.end = kernel::JobEnd::no_room;
    if (full) report.outcome.started_ms = 0;
    return report;
  });
  world.clock.tick_ms = 50;
  world.open(small_spec({quick_is_faster()}), 1);
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  CHECK(loop.state().study("s1")->pause_reason == kernel::PauseReason::disk);
  CHECK(loop.state().study("s1")->runs.at(0).state == RunState::queued);
  full = false;
  world.go_on(loop);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  for (const kernel::Run& run : study.runs) CHECK((run.state == RunState::succeeded && run.attempt == 1));
}
