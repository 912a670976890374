// What a person may do to a study that runs: pause, cancel, steer, let through gates.

#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/decide/fork_maker.h"
#include "kernel/study/ledger.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/studies/world.h"

using kernel::RunState;
using kernel::StudyState;

namespace {

int in_state(const kernel::Study& study, RunState state) {
  return study.counted.in[static_cast<std::size_t>(state)];
}

/// Ends the launched job with this number in the order of launches.
void end_job(World& world, std::size_t launch, kernel::JobEnd end = kernel::JobEnd::exited) {
  const kernel::JobSpec& spec = world.executor.started.at(launch);
  kernel::ReportEnd report = honest(spec);
  report.run = kernel::run_number(spec.run);
  report.outcome.run = spec.run;
  report.outcome.token = spec.token;
  report.outcome.end = end;
  world.inbox.post(kernel::Command{"s1", "kernel", report});
}

kernel::GateSpec gate_on(kernel::GateOn on) {
  kernel::GateSpec gate;
  gate.on = on;
  return gate;
}

/// Runs until the study waits at a gate.
void run_to_gate(kernel::Loop& loop) {
  loop.run([](const kernel::State& state) {
    const kernel::Study* study = state.study("s1");
    return study && (study->waiting_gate() || study->at_rest());
  });
}

}  // namespace

TEST_CASE("a paused study starts nothing, is at rest once what ran has ended, and goes on where it was") {
  World world(honest);
  world.executor.silent = true;
  world.open(small_spec({quick_is_faster()}));
  kernel::Loop loop(world.parts());
  loop.run([&](const kernel::State&) { return world.executor.started.size() == 2; });
  world.say(kernel::Pause{kernel::PauseReason::person});
  end_job(world, 0);
  loop.run([&](const kernel::State& state) { return state.study("s1")->live.size() == 1; });
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(world.answers == std::vector<std::string>{""});
  CHECK(study.state == StudyState::paused);
  CHECK(!study.at_rest());
  CHECK(world.executor.started.size() == 2);
  end_job(world, 1);
  loop.run(World::at_rest);
  CHECK(world.executor.started.size() == 2);

  world.executor.silent = false;
  world.go_on(loop);
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(count(study, kernel::Purpose::registered) == 24);
}

TEST_CASE("the time that a paused study waits for what runs is spent, the time after that is not") {
  World world(honest);
  world.executor.silent = true;
  world.open(small_spec({quick_is_faster()}), 1);
  kernel::Loop loop(world.parts());
  loop.run([&](const kernel::State&) { return world.executor.started.size() == 1; });
  const double before = loop.state().study("s1")->wall_spent_s();
  world.say(kernel::Pause{kernel::PauseReason::person});
  loop.run([&](const kernel::State& state) { return state.study("s1")->state == StudyState::paused; });
  world.clock.boot_ms += 5000;
  end_job(world, 0);
  loop.run(World::at_rest);
  world.clock.boot_ms += 60000;
  world.say(kernel::Steer{"nothing new"});
  loop.run([&](const kernel::State& state) { return !state.study("s1")->steering.empty(); });
  CHECK(loop.state().study("s1")->wall_spent_s() == Approx(before + 5).margin(0.001));
}

TEST_CASE("cancelling kills what runs, gives up what waits, and ends in an artifact without verdicts") {
  World world(honest);
  world.executor.silent = true;
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.design.smoke = false;
  world.open(spec);
  kernel::Loop loop(world.parts());
  loop.run([&](const kernel::State& state) {
    const kernel::Study* study = state.study("s1");
    return study && in_state(*study, RunState::running) == 2;
  });
  world.say(kernel::Cancel{"wrong question"});
  loop.run([&](const kernel::State&) { return world.executor.cancelled.size() == 2; });
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.queue.empty());
  CHECK(study.state == StudyState::running);
  for (const int run : study.live) {
    const auto launch = std::find_if(world.executor.started.begin(), world.executor.started.end(),
                                     [&](const kernel::JobSpec& job) { return job.run == study.run_id(run); });
    end_job(world, static_cast<std::size_t>(launch - world.executor.started.begin()), kernel::JobEnd::cancelled);
  }
  loop.run(World::at_rest);
  CHECK(study.outcome == kernel::StudyOutcome::cancelled);
  CHECK(kernel::newest_words(study.outcome_detail) == "wrong question");
  CHECK(study.artifact == "/ara");
  CHECK(study.claims.empty());
  CHECK(!study.hypotheses.at(0).result);
  CHECK(in_state(study, RunState::queued) == 0);
  CHECK(in_state(study, RunState::cancelled) > 20);
  CHECK(study.nodes.back().type == kernel::NodeType::dead_end);
  // What never started was not spent.
  CHECK(kernel::spent(study).runs == static_cast<int>(world.executor.started.size()));
  CHECK(kernel::study_shape(*world.replayed().study("s1"), "h") == kernel::study_shape(study, "h"));
}

TEST_CASE("of a study that is being cancelled a fork is made only from before its cancellation") {
  World world(honest);
  world.executor.silent = true;
  world.open(small_spec({quick_is_faster()}));
  kernel::Loop loop(world.parts());
  loop.run([](const kernel::State& state) { return state.study("s1") && !state.study("s1")->live.empty(); });
  const auto before = static_cast<std::int64_t>(world.log.size());
  world.clock.boot_ms += 1;
  world.say(kernel::Cancel{"It takes too long."});
  loop.run([](const kernel::State& state) { return state.study("s1")->cancelling; });
  for (const std::int64_t at : {before, static_cast<std::int64_t>(world.log.size())}) {
    kernel::ForkMaker maker("s1", at, "s2");
    kernel::StoredEvent stored;
    for (const kernel::Event& event : world.log) {
      const std::int64_t seq = stored.seq;
      stored = kernel::to_stored(event, stored.hash.empty() ? std::string(kernel::chain_start) : stored.hash);
      stored.seq = seq + 1;
      maker.read(stored);
    }
    CHECK(maker.cancelled() == (at > before));
    CHECK(maker.last() == static_cast<std::int64_t>(world.log.size()));
  }
}

TEST_CASE("a paused study can be cancelled, and one that is cancelled neither paused nor cancelled again") {
  World world(honest);
  world.executor.silent = true;
  world.open(small_spec({quick_is_faster()}), 1);
  kernel::Loop loop(world.parts());
  loop.run([&](const kernel::State&) { return world.executor.started.size() == 1; });
  world.say(kernel::Pause{kernel::PauseReason::person});
  world.say(kernel::Cancel{"no"});
  world.say(kernel::Cancel{"no"});
  world.say(kernel::Pause{kernel::PauseReason::person});
  loop.run([&](const kernel::State&) { return world.answers.size() == 4; });
  CHECK(std::count(world.answers.begin(), world.answers.end(), "") == 2);
  end_job(world, 0, kernel::JobEnd::cancelled);
  loop.run(World::at_rest);
  CHECK(loop.state().study("s1")->outcome == kernel::StudyOutcome::cancelled);
}

TEST_CASE("a run that a person cancels leaves its hypothesis without a verdict") {
  World world(honest);
  world.executor.silent = true;
  world.open(small_spec({quick_is_faster()}), 1);
  kernel::Loop loop(world.parts());
  loop.run([&](const kernel::State& state) {
    const kernel::Study* study = state.study("s1");
    if (study && !study->live.empty() && study->experiments.empty()) end_job(world, world.executor.started.size() - 1);
    return study && !study->experiments.empty() && !study->live.empty();
  });
  const int waiting = loop.state().study("s1")->queue.back();
  world.say(kernel::CancelRun{waiting});
  world.say(kernel::CancelRun{9999});
  world.executor.silent = false;
  end_job(world, world.executor.started.size() - 1);
  loop.run(World::at_rest);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(std::count(world.answers.begin(), world.answers.end(), "") == 1);
  CHECK(study.run(waiting)->state == RunState::cancelled);
  REQUIRE(study.hypotheses.at(0).result);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::inconclusive);
}

TEST_CASE("gates open where they stand, once each, and hold the study until a person decides") {
  World world(honest);
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  for (const kernel::GateOn on : {kernel::GateOn::hypotheses, kernel::GateOn::experiments, kernel::GateOn::conclude})
    spec.gates.push_back(gate_on(on));
  world.open(spec);
  kernel::Loop loop(world.parts());
  run_to_gate(loop);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.waiting_gate()->gate.id == "s1-g1");
  CHECK(study.runs.empty());
  world.say(kernel::DecideGate{"s1-g1", true, kernel::as_said("fine")});
  loop.run([&](const kernel::State&) { return study.gates.size() == 2; });
  CHECK(study.experiments.empty());
  CHECK(count(study, kernel::Purpose::registered) == 0);
  world.say(kernel::DecideGate{"s1-g2", true});
  world.say(kernel::DecideGate{"s1-g1", true});
  world.say(kernel::DecideGate{"s1-g7", true});
  loop.run([&](const kernel::State&) { return study.gates.size() == 3; });
  CHECK(study.hypotheses.at(0).result);
  CHECK(study.claims.empty());
  CHECK(std::count(world.answers.begin(), world.answers.end(), "") == 2);
  world.say(kernel::DecideGate{"s1-g3", true});
  loop.run(World::at_rest);
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(study.gates.size() == 3);
}

TEST_CASE("a rejected gate ends the study as cancelled") {
  World world(honest);
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.gates.push_back(gate_on(kernel::GateOn::experiments));
  world.open(spec);
  kernel::Loop loop(world.parts());
  run_to_gate(loop);
  world.say(kernel::DecideGate{"s1-g1", false, kernel::as_said("too dear")});
  loop.run(World::at_rest);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.outcome == kernel::StudyOutcome::cancelled);
  CHECK(kernel::newest_words(study.outcome_detail) == "gate s1-g1 was rejected: too dear");
  CHECK(count(study, kernel::Purpose::registered) == 0);
}

TEST_CASE("a spending gate lets nothing start beyond its threshold, and everything once it is approved") {
  World world(honest);
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  kernel::GateSpec gate = gate_on(kernel::GateOn::spend);
  gate.above.runs = 7;
  spec.gates.push_back(gate);
  world.open(spec);
  kernel::Loop loop(world.parts());
  run_to_gate(loop);
  loop.run([&](const kernel::State& state) { return state.study("s1")->live.empty(); });
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(kernel::spent(study).runs == 7);
  CHECK(!study.at_rest());
  world.say(kernel::DecideGate{"s1-g1", true});
  loop.run(World::at_rest);
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
}

TEST_CASE("a gate that says pause does not keep anyone waiting") {
  World world(honest);
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.gates.push_back(gate_on(kernel::GateOn::hypotheses));
  spec.gates.back().pause = true;
  world.open(spec);
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.state == StudyState::paused);
  CHECK(study.pause_reason == kernel::PauseReason::gate);
  world.say(kernel::DecideGate{"s1-g1", true});
  loop.run([&](const kernel::State&) { return !study.waiting_gate(); });
  world.go_on(loop);
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
}

TEST_CASE("an arm that fails the same way three times in a row is stopped, and its hypothesis has no verdict") {
  World world([](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    if (job.values.at("algorithm") == "quick") {
      report.outcome.exit = 1;
      report.fingerprint = "exit 1: IndexError: list index out of range";
    }
    return report;
  });
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.design.smoke = false;
  world.open(spec, 1);
  const kernel::Study study = finished(world);
  REQUIRE(study.stopped_arms.size() == 1);
  CHECK(in_state(study, RunState::failed) == 3);
  CHECK(in_state(study, RunState::cancelled) == 9);
  CHECK(in_state(study, RunState::succeeded) == 12);
  const kernel::HypothesisResult& result = *study.hypotheses.at(0).result;
  CHECK(result.verdict == kernel::Verdict::inconclusive);
  CHECK(newest_words(result.reason).find("3 runs in a row failed the same way") != std::string::npos);
  CHECK(kernel::study_shape(*world.replayed().study("s1"), "h") == kernel::study_shape(study, "h"));
}

TEST_CASE("failures of different kinds, and failures with successes between them, stop nothing") {
  int failures = 0;
  World world([&](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    if (job.values.at("algorithm") == "quick") {
      report.outcome.exit = 1;
      report.fingerprint = "exit 1: " + std::string(static_cast<std::size_t>(failures++ % 3), 'x') + "!";
    }
    return report;
  });
  world.open(small_spec({quick_is_faster()}), 1);
  const kernel::Study study = finished(world);
  CHECK(study.stopped_arms.empty());
  CHECK(in_state(study, RunState::cancelled) == 0);
}

TEST_CASE("only failures of the same cause count towards stopping an arm") {
  int failures = 0;
  World world([&](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    if (job.values.at("algorithm") == "quick") {
      report.outcome.exit = 1;
      // One, two, two, one, one, two, two: never three of a cause in a row.
      report.fingerprint = ++failures / 2 % 2 == 0 ? "exit 1: one" : "exit 1: two";
    }
    return report;
  });
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.design.smoke = false;
  world.open(spec, 1);
  const kernel::Study study = finished(world);
  CHECK(in_state(study, RunState::failed) == 12);
  CHECK(study.stopped_arms.empty());
}

TEST_CASE("a retry waits a little, longer the second time") {
  World world([](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    if (job.attempt < 3 && (job.run == "s1-r1" || job.attempt == 2)) report.outcome.exit = 75;
    return report;
  });
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.design.smoke = false;
  world.open(spec, 1);
  world.clock.tick_ms = 50;
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  std::vector<std::int64_t> delays;
  for (const kernel::Event& event : world.log)
    if (const auto* queued = std::get_if<kernel::RunsQueued>(&event.body))
      for (const kernel::PlannedRun& run : queued->runs)
        if (run.retry_of) delays.push_back(run.delay_ms);
  REQUIRE(delays.size() == 2);
  CHECK(delays[0] >= 250);
  CHECK(delays[0] < 750);
  CHECK(delays[1] >= 500);
  CHECK(delays[1] < 1500);
  CHECK(loop.state().study("s1")->hypotheses.at(0).result->verdict == kernel::Verdict::supported);
}

TEST_CASE("a wall clock that jumps moves no verdict, no budget and no waiting: the boot clock decides") {
  const auto told = [](std::int64_t jump_ms) {
    World world([](const kernel::JobSpec&) { return kernel::ReportEnd(); });
    fakes::FakeClock& clock = world.clock;
    int jobs = 0;
    world.executor.job = [&clock, &jobs, jump_ms](const kernel::JobSpec& job) {
      clock.boot_ms += 1000;
      clock.wall_jump_ms += ++jobs % 2 == 0 ? jump_ms : -2 * jump_ms;
      kernel::ReportEnd report = honest(job);
      // Retries wait a while.
      if (job.attempt == 1 && job.seed % 3 == 0) report.outcome.exit = 75;
      return report;
    };
    clock.tick_ms = 50;
    kernel::StudySpec spec = small_spec({quick_is_faster()});
    spec.budget.wall_s = 20;
    world.open(spec);
    kernel::Loop loop(world.parts());
    loop.run(World::at_rest);
    const kernel::Study& study = *loop.state().study("s1");
    CHECK(study.pause_reason == kernel::PauseReason::budget);
    const int first = static_cast<int>(study.runs.size());
    const double spent = study.wall_spent_s();
    kernel::Budget raised;
    raised.wall_s = 1000;
    world.go_on(loop, raised);
    CHECK(study.outcome == kernel::StudyOutcome::concluded);
    return std::tuple(first, spent, study.runs.size(), study.hypotheses.at(0).result->verdict, clock.boot_ms);
  };
  const auto steady = told(0);
  CHECK(std::get<3>(steady) == kernel::Verdict::supported);
  CHECK(told(3'600'000) == steady);
  CHECK(told(-365LL * 86'400'000) == steady);
}

TEST_CASE("an agent may amend the code of a study without a manipulation check, which then goes on to the comparison") {
  World world(honest);
  world.executor.silent = true;
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.design.rule = kernel::VerdictRule::one_interval;
  spec.design.smoke = false;
  spec.design.replicates_max = 12;  // So that there is a pilot.
  world.open(spec);
  kernel::Loop loop(world.parts());
  loop.run([](const kernel::State& state) { return state.study("s1") && !state.study("s1")->live.empty(); });
  kernel::AmendWorkspace amend;
  amend.workspace.hash = "other";
  amend.why = "It crashed.";
  world.inbox.post(kernel::Command{"s1", "experiment", amend});
  loop.run([](const kernel::State& state) { return state.study("s1")->workspace.hash == "other"; });
  CHECK(loop.state().study("s1")->check->skipped);
  CHECK((loop.state().study("s1")->comparison_parts > 0 || loop.state().study("s1")->compared));
}

TEST_CASE("what keeps an agent from making progress is recorded as a code") {
  kernel::Node orphan;
  orphan.title = "It hangs on nothing";
  orphan.parents = {"N99"};
  std::vector<std::pair<kernel::CommandBody, std::string>> all = {
      {kernel::RecordNode{orphan}, "there is no node N99"},
      {kernel::AnalyseExperiment{"E09"}, "an analysis belongs to the stage `analysing`; the study is at `proposing`"},
      {kernel::RegisterExperiment{{"H9"}},
       "a registration belongs to the stage `registering`; the study is at `proposing`"},
      {kernel::RecordClaim{}, "a claim belongs to the stage `concluding`; the study is at `proposing`"},
      {kernel::AdvanceCode{}, "no code is being searched for"},
      {kernel::CloseLine{"engineer-1", {}}, "there is no open line of work engineer-1"},
      {kernel::CloseProposals{1}, "no hypothesis has been proposed"},
      {kernel::TakeNote{}, "what it does is refused"}};
  for (const auto& [body, sentence] : all) {
    World world(honest);
    world.open(small_spec({quick_is_faster()}));
    kernel::LoopParts parts = world.parts();
    parts.agent = [&](kernel::Role, const kernel::Study&) -> std::vector<kernel::Command> {
      return {{"s1", "hypothesis", body}};
    };
    kernel::Loop loop(parts);
    loop.run(World::at_rest);
    const kernel::Reason& why = loop.state().study("s1")->pause_detail;
    CHECK(kernel::newest_words(why) == "the hypothesis agent makes no progress: " + sentence);
    CHECK(std::get<std::vector<kernel::Reason>>(why.values.at("why")).front().code != kernel::ReasonCode::words);
  }
}

TEST_CASE("a study whose agent makes no progress waits for a person, and others go on") {
  World world(honest);
  world.open(small_spec({quick_is_faster()}), 2, "s1");
  world.open(small_spec({quick_is_faster()}), 2, "s2");
  kernel::LoopParts parts = world.parts();
  bool stubborn = true;
  parts.agent = [&](kernel::Role role, const kernel::Study& study) -> std::vector<kernel::Command> {
    if (stubborn && study.id == "s1" && role == kernel::Role::writeup) return {{"s1", "writeup", kernel::RecordNode{}}};
    return agents::builtin_turn(role, study);
  };
  kernel::Loop loop(parts);
  const auto both_rest = [](const kernel::State& state) {
    return state.studies.size() == 2 && state.study("s1")->at_rest() && state.study("s2")->at_rest();
  };
  loop.run(both_rest);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.state == kernel::StudyState::paused);
  CHECK(study.pause_reason == kernel::PauseReason::agent);
  CHECK(kernel::newest_words(study.pause_detail) == "the writeup agent makes no progress: a node needs a title");
  CHECK(study.pause_detail.values.at("why") ==
        kernel::ReasonValue(std::vector{kernel::Reason{kernel::ReasonCode::node_without_title}}));
  CHECK(loop.state().study("s2")->state == kernel::StudyState::ended);
  stubborn = false;
  world.go_on(loop);
  CHECK(loop.state().study("s1")->state == kernel::StudyState::ended);
}
