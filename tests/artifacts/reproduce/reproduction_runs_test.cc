#include <algorithm>
#include <cmath>
#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "artifacts/reproduce/reproduction.h"
#include "artifacts/reproduce/reproduction_foreign.h"
#include "kernel/design/design.h"
#include "tests/artifacts/samples/sample_study.h"

using namespace artifacts;

namespace {

Recorded read_sample(const SampleStudy& sample) {
  auto result = read_recorded(sample_artifact(sample));
  if (!result) FAIL(result.problem().text());
  // The sample's results come of a model of its own, and not of the kernel's analysis.
  std::erase_if(result->terms.untrue, [](const kernel::Untrue& u) { return u.what.starts_with("trace/events.jsonl"); });
  return std::move(*result);
}

int pinned_runs(const Recorded& r) {
  std::size_t n = 0;
  for (const kernel::PinnedCell& cell : r.spec.design.pinned) n += cell.seeds.size();
  return static_cast<int>(n);
}

/// As if it had been run again, with the same values.
kernel::Study same_again(const Recorded& r) {
  kernel::Study again = r.study;
  again.spec.design.pinned = r.spec.design.pinned;
  again.spec.hypotheses = r.spec.hypotheses;
  again.reproduction = r.terms;
  return again;
}

/// A run that succeeded, of the cell where most did.
kernel::Run& some_run(kernel::Study& study) {
  for (kernel::Run& run : study.runs)
    if (run.evidence() && run.state == kernel::RunState::succeeded && run.measurement.values.contains("time_ms"))
      return run;
  throw std::logic_error("no run");
}

const RunComparison& of_run(const std::vector<RunComparison>& runs, const std::string& id) {
  for (const RunComparison& run : runs)
    if (run.recorded == id) return run;
  throw std::logic_error(id);
}

}  // namespace

TEST_CASE("what a sample could have caught is hypergeometric") {
  // 1 - C(54,5)/C(60,5)
  CHECK(chance_of_catching(60, 6, 5) == Approx(0.4209460676823561).epsilon(1e-12));
  CHECK(chance_of_catching(10, 1, 10) == 1);
  CHECK(chance_of_catching(10, 1, 1) == Approx(0.1).epsilon(1e-12));
  CHECK(chance_of_catching(10, 8, 3) == 1);
  CHECK(chance_of_catching(10, 0, 5) == 0);
  CHECK(chance_of_catching(10, 5, 0) == 0);
  CHECK(chance_of_catching(0, 0, 0) == 0);
}

TEST_CASE("a sample is told in one sentence, and nothing is rounded up") {
  ReproductionReport report;
  report.runs.resize(5);
  for (RunComparison& run : report.runs) run.outcome = RunOutcome::agrees;
  report.sample = SampleReport{1, 5, 60, 5, {{0.1, 6, chance_of_catching(60, 6, 5)}}};
  CHECK(report.runs_text() ==
        "5 of 60 runs agree; if 6 of 60 were fabricated, the sample had a chance of 42 % to contain one");
  CHECK(report.good());
  report.runs[0].outcome = RunOutcome::undecidable;
  report.runs[1].outcome = RunOutcome::not_run;
  report.sample->caught[0].chance = 0.9999;
  CHECK(report.runs_text() ==
        "3 of 60 runs agree, 1 cannot be told, 1 of those drawn not run; if 6 of 60 were fabricated, the sample had "
        "a chance of more than 99 % to contain one");
  CHECK_FALSE(report.good());
}

TEST_CASE("without a choice every registered run is run again with its seed") {
  const SampleStudy sample;
  const Recorded r = read_sample(sample);
  CHECK(r.terms.untrue.empty());
  std::set<std::pair<kernel::Cell, std::uint64_t>> pinned, recorded;
  for (const kernel::PinnedCell& cell : r.spec.design.pinned)
    for (const std::uint64_t seed : cell.seeds) pinned.emplace(cell.cell, seed);
  for (const kernel::Run& run : r.study.runs)
    if (run.purpose == kernel::Purpose::registered)
      recorded.emplace(r.study.cells[static_cast<std::size_t>(run.cell)], run.seed);
  CHECK(pinned == recorded);
  CHECK(pinned_runs(r) == static_cast<int>(pinned.size()));
  kernel::Study again;
  again.spec = r.spec;
  for (const kernel::Hypothesis& h : r.spec.hypotheses) again.hypotheses.push_back({h, 1, false, "", std::nullopt});
  const kernel::Registration registration = kernel::registration_of(again, {"H1", "H2", "H3", "H4", "H5"}, {});
  const kernel::RunsQueued runs = kernel::registered_runs(again, registration);
  std::set<std::pair<kernel::Cell, std::uint64_t>> queued;
  for (const kernel::PlannedRun& run : runs.runs)
    queued.emplace(runs.cells[static_cast<std::size_t>(run.cell)], run.seed);
  CHECK(queued == recorded);
}

TEST_CASE("what is chosen of an artifact is what is run") {
  const SampleStudy sample;
  const Recorded all = read_sample(sample);

  SECTION("one claim") {
    Recorded r = all;
    REQUIRE_FALSE(choose(r, {{"C02"}, false, 0, 0}));
    REQUIRE(r.spec.hypotheses.size() == 1);
    CHECK(r.spec.hypotheses[0].id == "H2");
    CHECK(r.spec.design.family == 5);
    CHECK(pinned_runs(r) < pinned_runs(all));
    CHECK(choose(r, {{"C77"}, false, 0, 0})->text().find("C77") != std::string::npos);
  }
  SECTION("a sample, the same for the same seed") {
    Recorded r = all, same = all, other = all;
    REQUIRE_FALSE(choose(r, {{}, false, 5, 11}));
    REQUIRE_FALSE(choose(same, {{}, false, 5, 11}));
    REQUIRE_FALSE(choose(other, {{}, false, 5, 12}));
    CHECK(pinned_runs(r) == 5);
    const auto shape = [](const Recorded& x) {
      std::string text;
      for (const kernel::PinnedCell& cell : x.spec.design.pinned)
        for (const std::uint64_t seed : cell.seeds) {
          for (const auto& [factor, level] : cell.cell) text += level + " ";
          text += std::to_string(seed) + "\n";
        }
      return text;
    };
    CHECK(shape(r) == shape(same));
    CHECK(shape(r) != shape(other));
    CHECK(forecast(r).runs == 5);
    CHECK(forecast(r).of == forecast(all).runs);
    CHECK(forecast(r).run_seconds < forecast(all).run_seconds);
    CHECK(choose(r, {{}, false, 100'000, 1}));
  }
  SECTION("fresh seeds") {
    Recorded r = all;
    REQUIRE_FALSE(choose(r, {{}, true, 0, 99}));
    CHECK(r.spec.seed == 99);
    CHECK(r.spec.design.pinned.empty());
    CHECK(choose(r, {{}, true, 0, all.study.spec.seed}));
    CHECK(choose(r, {{}, true, 3, 7}));
  }
}

TEST_CASE("a run is held against its repetition by what the other runs of its cell vary") {
  const SampleStudy sample;
  const Recorded r = read_sample(sample);
  kernel::Study again = same_again(r);
  for (const RunComparison& run : compare_runs(r.study, again, false)) CHECK(run.outcome == RunOutcome::agrees);

  kernel::Run& run = some_run(again);
  const std::string id = again.run_id(run.number);
  double& value = run.measurement.values.at("time_ms").value;
  const double recorded = value;
  value = recorded * (1 + 1e-9);
  const auto near = of_run(compare_runs(r.study, again, false), id);
  REQUIRE(near.outcome == RunOutcome::agrees);
  const ValueComparison* compared = nullptr;
  for (const ValueComparison& v : near.values)
    if (v.metric == "time_ms") compared = &v;
  REQUIRE(compared);
  REQUIRE(compared->reach);
  value = recorded + 0.999 * *compared->reach;
  CHECK(of_run(compare_runs(r.study, again, false), id).outcome == RunOutcome::agrees);
  value = recorded + 1.001 * *compared->reach;
  const RunComparison far = of_run(compare_runs(r.study, again, false), id);
  CHECK(far.outcome == RunOutcome::differs);
  CHECK(far.reason.find("time_ms was") == 0);

  // A false value does not widen what it is measured by.
  Recorded fabricated = r;
  fabricated.study.run(run.number);
  for (kernel::Run& other : fabricated.study.runs)
    if (other.number == run.number) other.measurement.values.at("time_ms").value = recorded + 2 * *compared->reach;
  value = recorded;
  CHECK(of_run(compare_runs(fabricated.study, again, false), id).outcome == RunOutcome::differs);

  for (kernel::Metric& metric : fabricated.study.spec.metrics) metric.deterministic = true;
  for (kernel::Run& other : fabricated.study.runs)
    if (other.number == run.number) other.measurement.values.at("time_ms").value = std::nextafter(recorded, 0.0);
  CHECK(of_run(compare_runs(fabricated.study, again, false), id).outcome == RunOutcome::differs);

  run.state = kernel::RunState::failed;
  CHECK(of_run(compare_runs(r.study, again, false), id).outcome == RunOutcome::failed_to_run);
  run.state = kernel::RunState::lost;
  CHECK(of_run(compare_runs(r.study, again, false), id).outcome == RunOutcome::not_run);
}

TEST_CASE("where too little is known a run cannot be told, and does not agree") {
  SampleOptions options;
  options.replicates = 2;
  options.failures = false;
  const SampleStudy sample(options);
  const Recorded r = read_sample(sample);
  kernel::Study again = same_again(r);
  kernel::Run& run = some_run(again);
  run.measurement.values.at("time_ms").value *= 1.0001;
  const RunComparison c = of_run(compare_runs(r.study, again, false), again.run_id(run.number));
  CHECK(c.outcome == RunOutcome::undecidable);
  CHECK(c.reason.find("no tolerance") != std::string::npos);
}

TEST_CASE("another machine's speed is taken out before runs are compared") {
  const SampleStudy sample;
  const Recorded r = read_sample(sample);
  kernel::Study again = same_again(r);
  for (kernel::Run& run : again.runs)
    for (auto& [name, value] : run.measurement.values) value.value *= 3;
  int differ = 0;
  for (const RunComparison& run : compare_runs(r.study, again, false))
    differ += run.outcome == RunOutcome::differs ? 1 : 0;
  CHECK(differ > 0);
  for (const RunComparison& run : compare_runs(r.study, again, true)) CHECK(run.outcome == RunOutcome::agrees);
}

TEST_CASE("a sample that differs makes its claim diverge, one that agrees attempts none") {
  const SampleStudy sample;
  Recorded r = read_sample(sample);
  REQUIRE_FALSE(choose(r, {{"C01"}, false, 4, 5}));
  kernel::Study again = same_again(r);
  ReproductionReport report = compare(r, again);
  REQUIRE(report.runs.size() == 4);
  CHECK(report.outcome == ClaimOutcome::not_attempted);
  CHECK_FALSE(report.claims[0].observed);
  CHECK(report.claims[1].reason == "it was not asked for");
  for (kernel::Run& run : again.runs)
    if (again.run_id(run.number) == report.runs[0].recorded)
      for (auto& [name, value] : run.measurement.values) value.value *= 100;
  report = compare(r, again);
  CHECK(report.outcome == ClaimOutcome::diverged);
  CHECK(report.claims[0].reason.find(report.runs[0].recorded) != std::string::npos);
  CHECK(to_markdown(report).find("What the sample could have caught") != std::string::npos);
  // Who looks at the first rows sees what does not agree, wherever it was drawn.
  std::rotate(report.runs.begin(), report.runs.begin() + 1, report.runs.end());
  const std::string page = to_markdown(report);
  CHECK(report.telling_first().front() == &report.runs.back());
  CHECK(report.telling_first().size() == report.runs.size());
  CHECK(page.find(report.runs.back().recorded) < page.find("| " + report.runs[0].recorded + " "));
  // The log alone is enough.
  const auto later = compare(r.log, again);
  REQUIRE(later);
  CHECK(to_json(*later)["claims"] == to_json(report)["claims"]);
  CHECK_FALSE(compare("{}\n", again));
}

TEST_CASE("what an artifact states and its log does not have is a divergence") {
  const SampleStudy sample;
  Recorded r = read_sample(sample);
  r.terms.untrue = {{"E01", "evidence/results/E01.csv states time_ms = 1 for s1-r9, and the log records 2"}};
  const ReproductionReport report = compare(r, same_again(r));
  CHECK(report.outcome == ClaimOutcome::diverged);
  CHECK(report.claims[0].reason.find("Run again: the verdict agrees") != std::string::npos);
}

TEST_CASE("without a design, a claim is as good as the numbers that are printed again") {
  const Foreign foreign{"x", {{"C01", {"25.03", "2"}}, {"C02", {}}, {"C03", {"7"}}, {"C04", {"27.88"}}}, {}, true};
  const auto outcome = [&](const ReproductionReport& report, std::size_t i) { return report.claims[i].outcome; };
  ReproductionReport report = compare(foreign, std::nullopt);
  CHECK(report.outcome == ClaimOutcome::not_attempted);
  CHECK(report.claims[0].reason.find("src/artifacts.md offers no command") != std::string::npos);
  report = compare(foreign, CommandEnd{"make", false, true, "", "error 25.034 after 2 epochs, 7 layers\n", 1});
  CHECK(report.claims[0].outcome == ClaimOutcome::not_attempted);  // What it prints is the artifact's own choice.
  report = compare(foreign, CommandEnd{"make", true, true, "", "error 25.034 after 2 epochs, 7 layers\n", 1});
  CHECK(outcome(report, 0) == ClaimOutcome::reproduced);
  CHECK(outcome(report, 1) == ClaimOutcome::not_attempted);
  CHECK(outcome(report, 2) == ClaimOutcome::not_attempted);  // One digit stands anywhere.
  CHECK(report.claims[3].reason.find("did not print 27.88") != std::string::npos);
  report = compare(foreign, CommandEnd{"make", true, false, "exit status 2", "25.03 2", 1});
  CHECK(report.outcome == ClaimOutcome::failed_to_run);
}
