// Whole studies through the real loop, without processes and without a disk.

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/codec.h"
#include "kernel/shapes.h"
#include "tests/kernel/world.h"

namespace {

using kernel::RunState;

double noise(const kernel::JobSpec& job, double scale) {
  return scale * (static_cast<double>((job.seed * 2654435761u +
                                       std::hash<std::string>{}(job.values.at("algorithm") + job.values.at("n"))) %
                                      1000) /
                      1000.0 -
                  0.5);
}

kernel::ReportEnd honest(const kernel::JobSpec& job) {
  const double n = std::stod(job.values.at("n"));
  const double cost = job.values.at("algorithm") == "bubble" ? n * n / 1000 : n / 100;
  return fakes::FakeExecutor::succeeded({{"time_ms", cost + noise(job, 0.5)}});
}

kernel::Study finished(World& world) {
  kernel::Loop loop({}, world.parts());
  loop.run(World::at_rest);
  REQUIRE(world.refusals.empty());
  return *loop.state().study("s1");
}

int count(const kernel::Study& study, kernel::Purpose purpose) {
  return static_cast<int>(std::count_if(study.runs.begin(), study.runs.end(),
                                        [&](const kernel::Run& run) { return run.purpose == purpose; }));
}

}  // namespace

TEST_CASE("a study of one true hypothesis ends concluded, with a claim and an artifact") {
  World world(honest);
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
  CHECK(study.claims.at(0).status == "supported");
  CHECK(study.artifact == "/ara");
  CHECK(count(study, kernel::Purpose::registered) == 2 * 2 * 6);
  CHECK(count(study, kernel::Purpose::smoke) == 4);
  CHECK(count(study, kernel::Purpose::pilot) == 0);
}

TEST_CASE("a refuted hypothesis becomes a dead end below its experiment") {
  kernel::Hypothesis wrong = quick_is_faster();
  wrong.direction = kernel::Direction::greater;
  wrong.statement = "Quicksort is slower.";
  World world(honest);
  world.open(small_spec({wrong}));
  const kernel::Study study = finished(world);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::refuted);
  const auto dead = std::find_if(study.nodes.begin(), study.nodes.end(),
                                 [](const kernel::Node& n) { return n.type == kernel::NodeType::dead_end; });
  REQUIRE(dead != study.nodes.end());
  const auto parent = std::find_if(study.nodes.begin(), study.nodes.end(),
                                   [&](const kernel::Node& n) { return n.id == dead->parents.at(0); });
  CHECK(parent->experiment == "E01");
}

TEST_CASE("with no hypothesis listed, one is derived per level against its baseline") {
  World world(honest);
  world.open(small_spec());
  const kernel::Study study = finished(world);
  REQUIRE(study.hypotheses.size() == 1);
  CHECK(study.hypotheses.at(0).hypothesis.by == "hypothesis");
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
}

TEST_CASE("a pilot on its own seeds sizes the experiment and is no evidence") {
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.design.replicates_min = 3;
  spec.design.replicates_max = 20;
  World world(honest);
  world.open(spec);
  const kernel::Study study = finished(world);
  CHECK(count(study, kernel::Purpose::pilot) == 2 * 2 * 5);
  std::set<std::uint64_t> pilot, registered;
  for (const kernel::Run& run : study.runs) {
    if (run.purpose == kernel::Purpose::pilot) pilot.insert(run.seed);
    if (run.purpose == kernel::Purpose::registered) registered.insert(run.seed);
    CHECK(run.evidence() == (run.purpose == kernel::Purpose::registered));
  }
  for (const std::uint64_t seed : pilot) CHECK(!registered.contains(seed));
  CHECK(study.sized->sizes.at(0).replicates >= 3);
  CHECK(study.sized->sizes.at(0).replicates <= 20);
}

TEST_CASE("skew that the pilot shows goes with the verdict, once") {
  for (const bool skewed_evidence : {false, true}) {
    kernel::StudySpec spec = small_spec({quick_is_faster()});
    spec.design.replicates_min = 3;
    spec.design.replicates_max = 20;
    spec.design.pilot = 12;
    World world([=](const kernel::JobSpec& job) {
      const bool pilot = job.seed >> 29 == static_cast<std::uint64_t>(kernel::Purpose::pilot);
      // Distinct per seed and far from symmetric: mostly small, one in a few very large.
      const double u = static_cast<double>(job.seed * 2654435761u % 1000) / 1000;
      const double skewed = std::exp(12 * u), even = u;
      const bool quick = job.values.at("algorithm") == "quick";
      const double value = quick ? (pilot || skewed_evidence ? skewed : even) : 1e6;
      return fakes::FakeExecutor::succeeded({{"time_ms", value + 0.001 * u}});
    });
    world.open(spec);
    const kernel::Study study = finished(world);
    REQUIRE(study.sized->warnings.size() == 1);
    const std::string of_pilot = "pilot: " + study.sized->warnings.at(0).substr(4);  // behind "H1: "
    REQUIRE(of_pilot.find("skewed") != std::string::npos);
    std::vector<std::string> skewed = study.hypotheses.at(0).result->warnings;
    std::erase_if(skewed, [](const std::string& w) { return w.find("skewed") == std::string::npos; });
    REQUIRE(skewed.size() == 1);
    CHECK((skewed.at(0) == of_pilot) != skewed_evidence);
  }
}

TEST_CASE("arms are interleaved: no block of one arm alone is longer than its share") {
  World world(honest);
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  int position = 0;
  std::map<int, std::set<int>> cells_of_replicate;
  for (const kernel::Run& run : study.runs) {
    if (run.purpose != kernel::Purpose::registered) continue;
    CHECK(run.replicate == position / 4 + 1);
    cells_of_replicate[run.replicate].insert(run.cell);
    ++position;
  }
  for (const auto& [replicate, cells] : cells_of_replicate) CHECK(cells.size() == 4);
}

TEST_CASE("paired replicates share one seed across all arms and cells") {
  World world(honest);
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  std::map<int, std::set<std::uint64_t>> seeds;
  for (const kernel::Run& run : study.runs)
    if (run.purpose == kernel::Purpose::registered) seeds[run.replicate].insert(run.seed);
  for (const auto& [replicate, values] : seeds) CHECK(values.size() == 1);
  CHECK(seeds.size() == 6);
}

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
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
  std::map<std::pair<int, std::uint64_t>, int> evidence;
  for (const kernel::Run& run : study.runs) {
    if (run.evidence()) ++evidence[{run.cell, run.seed}];
    CHECK(run.attempt <= 3);
  }
  for (const auto& [where, n] : evidence) CHECK(n == 1);
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
  kernel::Loop first({}, world.parts());
  first.run([&](const kernel::State&) { return !world.executor.started.empty(); });
  world.executor.silent = false;
  const kernel::JobSpec voided = world.executor.started.at(0);
  kernel::ReportEnd report;
  report.run = kernel::run_number(voided.run);
  report.outcome.run = voided.run;
  report.outcome.token = voided.token;
  report.outcome.end = kernel::JobEnd::voided;
  world.inbox.post(kernel::Command{"s1", "kernel", report});
  kernel::Loop second(first.state(), world.parts());
  second.run(World::at_rest);
  const kernel::JobSpec& again = world.executor.started.at(1);
  CHECK(again.run == voided.run);
  CHECK(again.folder != voided.folder);
  CHECK(again.checkpoint == voided.checkpoint);
  CHECK(second.state().study("s1")->outcome == kernel::StudyOutcome::concluded);
}

TEST_CASE("a job that asks for ever is failed after two retries") {
  World world([](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    if (job.values.at("algorithm") == "quick") report.outcome.exit = 75;
    return report;
  });
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::inconclusive);
  for (const kernel::Run& run : study.runs) CHECK(run.attempt <= 3);
}

TEST_CASE("failures make the verdict inconclusive, never a comparison of survivors") {
  World world([](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    if (job.values.at("algorithm") == "quick" && job.seed % 3 == 0) {
      report.outcome.end = kernel::JobEnd::timed_out;
      report.outcome.reason = "timed out after 60 s";
      report.measurement = {};
    }
    return report;
  });
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  REQUIRE(study.runs_in[static_cast<std::size_t>(RunState::timed_out)] > 0);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::inconclusive);
  CHECK(study.hypotheses.at(0).result->failed.at(0) > 0);
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
}

TEST_CASE("a study none of whose registered runs succeeded has failed, and says so") {
  World world([](const kernel::JobSpec&) {
    kernel::ReportEnd report;
    report.outcome.exit = 1;
    return report;
  });
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  CHECK(study.outcome == kernel::StudyOutcome::failed);
  CHECK(study.outcome_detail == "no registered run succeeded");
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::inconclusive);
  CHECK(study.check->findings.size() == 4);
}

TEST_CASE("a metric declared deterministic that varies is an integrity event, and nothing is concluded from it") {
  for (const kernel::Method method : {kernel::Method::automatic, kernel::Method::t}) {
    kernel::StudySpec spec = small_spec({quick_is_faster()});
    spec.metrics.at(0).deterministic = true;
    spec.hypotheses.at(0).method = method;
    World world(honest);  // its times differ by seed
    world.open(spec);
    const kernel::Study study = finished(world);
    const kernel::HypothesisResult& result = *study.hypotheses.at(0).result;
    CHECK(result.verdict == kernel::Verdict::inconclusive);
    CHECK(result.reason.find("declared deterministic but varied") != std::string::npos);
    REQUIRE(study.integrity.size() == 1);
    CHECK(study.integrity.at(0).metric == "time_ms");
    REQUIRE(study.integrity.at(0).runs.size() == 2);
    const auto value = [&](std::size_t i) {
      return study.run(study.integrity.at(0).runs.at(i))->measurement.values.at("time_ms").value;
    };
    CHECK(value(0) != value(1));
    CHECK(kernel::study_shape(study, "h").at("integrity").at(0).at("metric") == "time_ms");
    const auto is = [](const char* type) {
      return [type](const kernel::Event& e) { return kernel::type_name(e.body) == type; };
    };
    const auto found = std::find_if(world.log.begin(), world.log.end(), is("IntegrityFound"));
    CHECK(found < std::find_if(world.log.begin(), world.log.end(), is("ExperimentAnalysed")));
  }
}

TEST_CASE("one run per cell cannot show that a metric varies, but the smoke runs beside it can") {
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.metrics.at(0).deterministic = true;
  spec.design.replicates_min = spec.design.replicates_max = 1;
  World world(honest);
  world.open(spec);
  const kernel::Study study = finished(world);
  CHECK(study.integrity.size() == 1);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::inconclusive);
}

TEST_CASE("a deterministic metric that keeps its word is compared exactly and raises nothing") {
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.metrics.at(0).deterministic = true;
  World world([](const kernel::JobSpec& job) {
    return fakes::FakeExecutor::succeeded({{"time_ms", job.values.at("algorithm") == "quick" ? 1.0 : 2.0}});
  });
  world.open(spec);
  const kernel::Study study = finished(world);
  CHECK(study.integrity.empty());
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
}

TEST_CASE("a factor that changes nothing is found by the manipulation check") {
  World world([](const kernel::JobSpec& job) {
    return fakes::FakeExecutor::succeeded(
        {{"time_ms", std::stod(job.values.at("n")) + static_cast<double>(job.seed % 1009)}});
  });
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  REQUIRE(study.check->findings.size() == 1);
  CHECK(study.check->findings.at(0).subject == "algorithm");
}

TEST_CASE("the manipulation check steps as far as it can: a small step may change nothing by chance") {
  World world([](const kernel::JobSpec& job) {
    const double n = std::stod(job.values.at("n"));
    const double arm = job.values.at("algorithm") == "quick" ? 1 : 5;
    return fakes::FakeExecutor::succeeded(
        {{"time_ms", arm + (n > 300 ? 1 : 0) + static_cast<double>(job.seed % 1009)}});
  });
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.factors.at(1).levels.push_back({"400", {"400", 400}, {}});
  world.open(spec);
  CHECK(finished(world).check->findings.empty());
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

TEST_CASE("a run budget pauses the study with what is paid for finished, and a raised one continues it") {
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.budget.runs = 11;
  World world(honest);
  world.open(spec);
  kernel::Loop loop({}, world.parts());
  loop.run(World::at_rest);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.state == kernel::StudyState::paused);
  CHECK(study.pause_reason == "budget");
  CHECK(study.runs_spent == 11);
  CHECK(study.live.empty());
  CHECK(!study.hypotheses.at(0).result);

  kernel::Budget raised;
  raised.runs = 100;
  loop.recover({{"s1", "person", kernel::Resume{world.clock.boot, 0, raised}}});
  loop.run(World::at_rest);
  CHECK(study.state == kernel::StudyState::ended);
  CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
}

TEST_CASE(
    "a job without a time-out has the wall budget as its own, so that one that hangs cannot outlive it for ever") {
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
  kernel::Loop loop({}, world.parts());
  loop.run(World::at_rest);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.pause_reason == "budget");
  CHECK(study.runs_spent < 14);
}

TEST_CASE("never more jobs run at once than the study was given") {
  World world(honest);
  world.executor.silent = true;
  world.open(small_spec({quick_is_faster()}), 3);
  kernel::Loop loop({}, world.parts());
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
      kernel::Loop loop({}, world.parts());
      CHECK_THROWS_WITH(loop.run(World::at_rest), "the disk is gone");
    }
    world.fail_at_commit = 0;
    world.inbox.post(kernel::Drain{});
    world.inbox.take();  // What was on its way to the dead kernel is gone.
    kernel::Loop second(world.replayed(), world.parts());
    second.recover({{"s1", "kernel", kernel::Resume{world.clock.boot, 0, {}}}});
    second.run(World::at_rest);
    const kernel::Study& study = *second.state().study("s1");
    REQUIRE(study.hypotheses.at(0).result);
    CHECK(study.hypotheses.at(0).result->verdict == kernel::Verdict::supported);
    CHECK(count(study, kernel::Purpose::registered) == 24);
    CHECK(study.runs_in[static_cast<std::size_t>(RunState::succeeded)] == 28);
  }
}
