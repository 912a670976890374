// Whole studies through the real loop, without processes and without a disk.

#include <algorithm>
#include <cmath>
#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/codec/codec.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/studies/world.h"

using kernel::RunState;

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
    const std::string of_pilot = "pilot: " + newest_words(study.sized->warnings.at(0)).substr(4);  // behind "H1: "
    REQUIRE(of_pilot.find("skewed") != std::string::npos);
    std::vector<std::string> skewed = kernel::newest_words(study.hypotheses.at(0).result->warnings);
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

TEST_CASE("failures make the verdict inconclusive, never a comparison of survivors") {
  World world([](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    if (job.values.at("algorithm") == "quick" && job.seed % 3 == 0) {
      report.outcome.end = kernel::JobEnd::timed_out;
      report.outcome.reason = {kernel::ReasonCode::job_timed_out, {{"limit_ms", 60000}}};
      report.measurement = {};
    }
    return report;
  });
  world.open(small_spec({quick_is_faster()}));
  const kernel::Study study = finished(world);
  REQUIRE(study.counted.in[static_cast<std::size_t>(RunState::timed_out)] > 0);
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
  CHECK(kernel::newest_words(study.outcome_detail) == "no registered run succeeded");
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
    CHECK(newest_words(result.reason).find("declared deterministic but varied") != std::string::npos);
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

TEST_CASE("metrics that cost no work, and times that nobody spent, are found by the manipulation check") {
  const auto findings = [](double reported_ms, std::function<double(const kernel::JobSpec&)> cpu) {
    World world([=](const kernel::JobSpec& job) {
      const double arm = job.values.at("algorithm") == "quick" ? 1 : 5;
      const double n = std::stod(job.values.at("n")) / 1000;
      auto report = fakes::FakeExecutor::succeeded(
          {{"time_ms", reported_ms * (arm + n + static_cast<double>(job.seed % 1009) / 1e5)}});
      report.outcome.usage.cpu_s = report.outcome.usage.wall_s = cpu(job);
      return report;
    });
    world.open(small_spec({quick_is_faster()}));
    return finished(world).check->findings;
  };
  CHECK(findings(100, [](const kernel::JobSpec&) { return 2.0; }).empty());
  std::optional<std::uint64_t> first;
  const auto idle = findings(100, [&](const kernel::JobSpec& job) {
    if (!first) first = job.seed;
    return job.seed == *first ? 2.0 : 0.005;  // another seed than the first costs nothing
  });
  REQUIRE(idle.size() >= 1);
  CHECK(kernel::newest_words(idle.at(0).message).find("does it compute what it reports?") != std::string::npos);
  CHECK(idle.at(0).serious);
  const auto quick =
      findings(1, [](const kernel::JobSpec& job) { return job.values.at("algorithm") == "quick" ? 0.001 : 2.0; });
  REQUIRE(quick.size() == 1);
  CHECK_FALSE(quick.at(0).serious);
  const auto simulated = findings(1000, [](const kernel::JobSpec&) { return 0.3; });
  REQUIRE(simulated.size() == 1);
  CHECK(simulated.at(0).subject == "time_ms");
  CHECK(kernel::newest_words(simulated.at(0).message).find("is that time simulated?") != std::string::npos);
  CHECK_FALSE(simulated.at(0).serious);
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
