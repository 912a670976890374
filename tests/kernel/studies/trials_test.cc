// What the runs before a registration show: that nothing works, or that the seed changes nothing.

#include <catch2/catch.hpp>

#include "kernel/runs/run_outcome.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/studies/world.h"

using kernel::PauseReason;
using kernel::Purpose;
using kernel::StudyState;

namespace {

kernel::StudySpec spec_of_today(bool pilot = false) {
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.design.rule = kernel::VerdictRule::one_interval;
  if (pilot) {
    spec.design.replicates_max = 20;
    spec.hypotheses[0].smallest_effect = {kernel::SmallestEffect::Kind::absolute, 5};
  }
  return spec;
}

kernel::ReportEnd broken(const kernel::JobSpec&) {
  kernel::ReportEnd report;
  report.outcome.exit = 3;
  report.said = "ModuleNotFoundError: No module named 'torch'";
  return report;
}

/// Values that depend on the arm alone.
kernel::ReportEnd without_seed(const kernel::JobSpec& job) {
  return fakes::FakeExecutor::succeeded({{"time_ms", job.values.at("algorithm") == "quick" ? 10.0 : 50.0}});
}

}  // namespace

TEST_CASE("if every smoke run fails, nothing else starts and the study ends as failed, with the cause") {
  World world(broken);
  world.open(spec_of_today());
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.state == StudyState::ended);
  CHECK(study.outcome == kernel::StudyOutcome::failed);
  CHECK(count(study, Purpose::smoke) > 0);
  CHECK(static_cast<int>(study.runs.size()) == count(study, Purpose::smoke));
  CHECK(newest_words(study.outcome_detail) ==
        "every smoke run failed; s1-r1: exit status 3; the end of its stderr: ModuleNotFoundError: No module named "
        "'torch'");
}

TEST_CASE("if every pilot run fails, the study ends as failed before its registration") {
  World world([](const kernel::JobSpec& job) {
    const bool smoke = kernel::run_number(job.run) <= 4;
    return smoke ? honest(job) : broken(job);
  });
  world.open(spec_of_today(true));
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  const kernel::Study& study = *loop.state().study("s1");
  REQUIRE(count(study, Purpose::smoke) == 4);
  CHECK(count(study, Purpose::pilot) > 0);
  CHECK(study.experiments.empty());
  CHECK(study.outcome == kernel::StudyOutcome::failed);
  CHECK(newest_words(study.outcome_detail).starts_with("every pilot run failed; s1-r5"));
}

TEST_CASE("a seed that changes nothing pauses the study before its pilot and names the line that pins it") {
  for (const bool pinned : {true, false}) {
    World world(without_seed);
    kernel::StudyOpened opened;
    opened.id = "s1";
    opened.spec = spec_of_today();
    if (!pinned) opened.spec.run.words = {"sort --algorithm {algorithm} --n {n}"};
    if (pinned) opened.workspace.seed_pins = {"sort.py:3: random.seed(42)"};
    opened.jobs = 2;
    opened.boot_id = world.clock.boot;
    world.inbox.post(kernel::Command{"s1", "person", kernel::OpenStudy{opened}});
    kernel::Loop loop(world.parts());
    loop.run(World::at_rest);
    const kernel::Study& study = *loop.state().study("s1");
    REQUIRE(study.state == StudyState::paused);
    CHECK(study.pause_reason == PauseReason::seed);
    CHECK(static_cast<int>(study.runs.size()) == count(study, Purpose::smoke));
    const std::string why = newest_words(study.pause_detail);
    CAPTURE(why);
    CHECK((why.find("sets a seed to a constant: sort.py:3: random.seed(42)") != why.npos) == pinned);
    CHECK((why.find("Let the code read ETUDE_SEED; to pass") != why.npos) == !pinned);
    CHECK(why.find("etude amend s1") != why.npos);

    // Resumed without a change, it gives no verdict from copies.
    world.go_on(loop);
    const kernel::Study& after = *loop.state().study("s1");
    CHECK(after.state == StudyState::ended);
    CHECK(after.hypotheses[0].result->verdict == kernel::Verdict::inconclusive);
  }
}

TEST_CASE("a metric that is declared deterministic needs no seed, and its verdict says that no other is known") {
  World world(without_seed);
  kernel::StudySpec spec = spec_of_today();
  spec.metrics[0].deterministic = true;
  spec.run.words = {"sort --algorithm {algorithm} --n {n}"};
  world.open(spec);
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(study.hypotheses[0].result->verdict == kernel::Verdict::supported);
  CHECK(newest_words(study.hypotheses[0].result->reason).ends_with("nothing is known of other seeds."));
}

TEST_CASE("studies of earlier programs go on as they did") {
  World world(broken);
  kernel::StudySpec spec = spec_of_today();
  spec.design.rule = kernel::VerdictRule::smallest_effect;
  world.open(spec);
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  CHECK(count(*loop.state().study("s1"), Purpose::registered) > 0);
}

TEST_CASE("a run that misses an ignored file is told so, and a file of another place is none") {
  const kernel::IgnoredFiles ignored{3, 9, {{"data/", 5}, {"a b/x.bin", 3}, {"cache.pkl", 1}}};
  const auto said = [&](const std::string& lines) {
    return newest_words(kernel::with_left_out_file({kernel::ReasonCode::exit_status, {{"status", 1}}}, ignored, lines));
  };
  const std::string about = " is not in the workspace, because .gitignore or .etudeignore leaves out ";
  CHECK(said("FileNotFoundError: [Errno 2] No such file or directory: 'data/train.bin'")
            .starts_with("exit status 1: `data/train.bin`" + about + "`data/`: add the line `!/data/` to"));
  CHECK(said("cat: /etude/work/data/x.txt: No such file or directory")
            .starts_with("exit status 1: `data/x.txt`" + about));
  CHECK(said("first | OSError: ./cache.pkl not found. | last").starts_with("exit status 1: `cache.pkl`" + about));
  for (const char* other : {"No such file or directory: 'mydata/train.bin'", "No such file or directory: '/usr/data/x'",
                            "data/train.bin has 3 lines", "No such file or directory: 'database'",
                            "No such file or directory: 'cache.pkl.gz'", ""})
    CHECK(said(other) == "exit status 1");
  World world([](const kernel::JobSpec&) {
    kernel::ReportEnd report;
    report.outcome.exit = 1;
    report.said = "No such file or directory: 'cache.pkl'";
    return report;
  });
  kernel::StudyOpened opened;
  opened.id = "s1";
  opened.spec = spec_of_today();
  opened.jobs = 2;
  opened.boot_id = world.clock.boot;
  opened.workspace.ignored = ignored;
  world.inbox.post(kernel::Command{"s1", "person", kernel::OpenStudy{opened}});
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  CHECK(newest_words(loop.state().study("s1")->run(1)->reason).starts_with("exit status 1: `cache.pkl`" + about));
}
