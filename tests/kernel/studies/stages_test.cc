// Runs in several steps: who waits for whom, who shares what, and what a failure takes with it.

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

#include "kernel/study/ledger.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/studies/world.h"

using kernel::Run;
using kernel::RunState;
using kernel::Study;

namespace {

/// `train` sorts, and `eval` measures it at every n.
kernel::StudySpec staged_spec() {
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  kernel::StageSpec train, eval;
  train.name = "train";
  train.run.words = {"train {algorithm}"};
  train.factors = {"algorithm"};
  train.outputs = {{"ckpt", "ckpt/best.pt"}};
  train.resources.cpus = 2;
  eval.name = "eval";
  eval.needs = {"train"};
  eval.run.words = {"eval {train.ckpt} {n}"};
  eval.factors = {"n"};
  spec.stages = {train, eval};
  spec.run = eval.run;
  return spec;
}

kernel::ReportEnd staged(const kernel::JobSpec& job) {
  if (job.stage.empty()) return honest(job);
  kernel::ReportEnd report;
  report.kept = {{"ckpt", "ckpt/best.pt", "hash-of-" + job.values.at("algorithm") + std::to_string(job.seed), 10}};
  return report;
}

std::vector<const Run*> runs_of(const Study& study, const std::string& stage, kernel::Purpose purpose) {
  std::vector<const Run*> list;
  for (const Run& run : study.runs)
    if (run.stage == stage && run.purpose == purpose) list.push_back(&run);
  return list;
}

}  // namespace

TEST_CASE("a training is run once per cell and seed, before all that needs it, and is never evidence") {
  World world(staged);
  world.machine.cpus = 2;
  world.open(staged_spec(), 1);
  const Study study = finished(world);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
  CHECK(study.hypotheses.at(0).result->n == std::array<int, 2>{12, 12});
  const auto trained = runs_of(study, "train", kernel::Purpose::registered);
  CHECK(trained.size() == 2 * 6);
  CHECK(runs_of(study, "", kernel::Purpose::registered).size() == 2 * 2 * 6);
  // The reference, the algorithm flipped, and the seed flipped; n flipped shares the reference's.
  CHECK(runs_of(study, "train", kernel::Purpose::smoke).size() == 3);
  for (const Run* run : trained) {
    CHECK(!run->evidence());
    CHECK(study.cells.at(static_cast<std::size_t>(run->cell)).count("n") == 0);
  }
  std::set<std::string> ended;
  for (const kernel::JobSpec& job : world.executor.started) {
    const Run& run = *study.run(kernel::run_number(job.run));
    for (const int need : run.needs) CHECK(ended.contains(study.run_id(need)));
    if (!job.stage.empty()) {
      CHECK(job.resources.cpus == 2);
      CHECK(job.values.count("n") == 0);
    } else {
      REQUIRE(job.data.size() == 1);
      CHECK(job.data[0].placeholder == "train.ckpt");
      CHECK(job.data[0].name == "train.ckpt/best.pt");
      CHECK(job.data[0].path == "/kept/hash-of-" + job.values.at("algorithm") + std::to_string(job.seed) + "/best.pt");
    }
    ended.insert(job.run);
  }
  CHECK(world.replayed().study("s1")->waiting_for.empty());
}

TEST_CASE("a run that needs a training waits for its retry, and uses that") {
  std::map<std::string, int> attempts;
  World world([&](const kernel::JobSpec& job) {
    kernel::ReportEnd report = staged(job);
    if (!job.stage.empty() && ++attempts[job.values.at("algorithm") + std::to_string(job.seed)] == 1) {
      if (job.seed % 2)
        report.outcome.exit = 75;
      else
        report.outcome.end = kernel::JobEnd::lost;
      report.kept.clear();
    }
    return report;
  });
  world.clock.tick_ms = 50;
  world.open(staged_spec());
  const Study study = finished(world);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
  for (const kernel::JobSpec& job : world.executor.started)
    if (job.stage.empty()) CHECK(job.data.size() == 1);
  for (const Run& run : study.runs) CHECK(run.superseded == (!run.stage.empty() && run.attempt == 1));
}

TEST_CASE("a training that fails takes with it what needs it, and three in a row their arm") {
  World world([](const kernel::JobSpec& job) {
    kernel::ReportEnd report = staged(job);
    if (job.stage == "train" && job.values.at("algorithm") == "quick") {
      report.outcome.exit = 1;
      report.kept.clear();
      report.fingerprint = "exit 1: diverged";
    }
    return report;
  });
  kernel::StudySpec spec = staged_spec();
  spec.design.smoke = false;
  world.open(spec, 1);
  const Study study = finished(world);
  int started = 0, failed = 0, given_up = 0;
  for (const Run& run : study.runs) {
    if (study.cells.at(static_cast<std::size_t>(run.cell)).at("algorithm") != "quick") {
      CHECK(run.state == RunState::succeeded);
      continue;
    }
    started += run.token.empty() ? 0 : 1;
    if (!run.stage.empty()) continue;
    failed += run.state == RunState::failed ? 1 : 0;
    given_up += run.state == RunState::cancelled ? 1 : 0;
    if (run.state == RunState::failed)
      CHECK(kernel::newest_words(run.reason) ==
            "its stage train (" + study.run_id(run.needs.at(0)) + ") failed: exit status 1");
  }
  CHECK(started == 3);
  CHECK(failed == 3 * 2);
  CHECK(given_up == 3 * 2);
  CHECK(study.stopped_arms.size() == 1);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::inconclusive);
  CHECK(study.hypotheses.at(0).result->failed[0] == 12);
}

TEST_CASE("cancelling a training cancels what waits for it") {
  World world(staged);
  world.executor.silent = true;
  kernel::StudySpec spec = staged_spec();
  spec.design.smoke = false;
  world.open(spec, 1);
  kernel::Loop loop(world.parts());
  loop.run([&](const kernel::State&) { return world.executor.started.size() == 1; });
  const Run& last = loop.state().study("s1")->runs.back();
  REQUIRE(last.stage.empty());
  world.say(kernel::CancelRun{last.needs.at(0)});
  loop.run([&](const kernel::State&) { return !world.answers.empty(); });
  CHECK(world.answers == std::vector<std::string>{""});
  const Study& study = *loop.state().study("s1");
  CHECK(study.run(last.needs.at(0))->state == RunState::cancelled);
  CHECK(last.state == RunState::cancelled);
  CHECK(kernel::newest_words(last.reason).find("was cancelled") != std::string::npos);
  world.say(kernel::Cancel{"enough"});
  loop.run([&](const kernel::State&) { return world.answers.size() == 2; });
  CHECK(study.queue.empty());
  CHECK(study.blocked.empty());
  CHECK(std::all_of(study.runs.begin() + 1, study.runs.end(), [](const Run& run) { return run.ended(); }));
}

TEST_CASE("a kernel that comes after another one goes on with half-trained studies") {
  World world(staged);
  world.open(staged_spec(), 2);
  kernel::Loop first(world.parts());
  first.run([&](const kernel::State&) { return world.executor.started.size() > 9; });
  const std::size_t before = world.executor.started.size();
  world.take_up();
  kernel::Loop second(world.parts());
  second.run(World::at_rest);
  const Study study = *second.state().study("s1");
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(world.executor.started.size() > before);
  for (const Run* run : runs_of(study, "", kernel::Purpose::registered)) CHECK(run->state == RunState::succeeded);
}

TEST_CASE("runs that share a training are one unit of a slope") {
  kernel::StudySpec spec = staged_spec();
  kernel::Hypothesis slope = quick_is_faster();
  slope.kind = kernel::HypothesisKind::slope;
  slope.treatment = slope.control = {};
  slope.along = "n";
  slope.where = {{"algorithm", "quick"}};
  slope.direction = kernel::Direction::greater;
  spec.hypotheses = {slope};
  World world(staged);
  world.open(spec);
  const Study study = finished(world);
  // Six seeds; without stages the twelve runs would leave ten degrees of freedom.
  CHECK(study.hypotheses.at(0).result->df == Approx(5));
}

TEST_CASE("a fork has the past of its study up to a point, and a future of its own") {
  World world(honest);
  world.open(small_spec({quick_is_faster()}), 2);
  finished(world);
  const std::vector<kernel::Event> whole = world.log;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < whole.size(); ++i)
    if (const auto* starting = std::get_if<kernel::RunStarting>(&whole[i].body); starting && starting->run == 10)
      cut = i;
  REQUIRE(cut > 0);
  kernel::ForkStudy fork{"s1", 77, "head", {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut) + 1}};
  for (kernel::Event& event : fork.events) event.study = "s2";
  std::get<kernel::StudyOpened>(fork.events.front().body).id = "s2";
  fork.predecessors = {{"s1", "H1", "of this contrast", kernel::Verdict::supported, "It was so."}};
  world.inbox.post(kernel::Command{"s2", "person", fork});
  kernel::Loop loop(world.parts());
  loop.run([](const kernel::State& state) { return state.study("s2") != nullptr; });
  const Study& forked = *loop.state().study("s2");
  CHECK(forked.state == kernel::StudyState::paused);
  CHECK(forked.fork->from == "s1");
  REQUIRE(forked.predecessors.size() == 1);  // Who forked it could know.
  CHECK(forked.predecessors[0].contrast == "of this contrast");
  CHECK(forked.live.empty());
  CHECK(forked.at_rest());
  const std::size_t launched = world.executor.started.size();
  const auto ended_before = kernel::spent(forked).runs;
  world.inbox.post(kernel::Command{"s2", "person", kernel::Resume{world.clock.boot, 0, {}}});
  loop.run([](const kernel::State& state) {
    return state.study("s2")->state != kernel::StudyState::paused && state.study("s2")->at_rest();
  });
  CHECK(forked.outcome == kernel::StudyOutcome::concluded);
  CHECK(forked.family == 1);
  CHECK(static_cast<std::int64_t>(forked.runs.size()) ==
        ended_before + static_cast<std::int64_t>(world.executor.started.size() - launched));
  for (std::size_t i = launched; i < world.executor.started.size(); ++i)
    CHECK(kernel::run_study(world.executor.started[i].run) == "s2");
  CHECK(forked.hypotheses.at(0).result->effect == world.replayed().study("s1")->hypotheses.at(0).result->effect);
}
