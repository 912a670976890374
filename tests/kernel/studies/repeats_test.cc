// The smoke run that is repeated among registered runs: where it is queued, and what is found if a job behaves
// otherwise once runs count.

#include <set>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "kernel/decide/preconditions.h"
#include "kernel/verdicts/analyse_experiment.h"
#include "kernel/verdicts/repeated_smoke.h"
#include "kernel/wording/wording.h"
#include "stats/basics/random.h"
#include "tests/kernel/studies/world.h"

using kernel::Purpose;
using kernel::Run;
using kernel::Study;
using kernel::Verdict;

namespace {

constexpr int most_smoke = 4;  // The reference, two factors and the seed.

/// Times, and a number of comparisons that cell and seed fix.
kernel::StudySpec with_comparisons() {
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.design.rule = kernel::VerdictRule::one_interval;
  spec.design.reading = true;
  spec.seeds = kernel::SeedRule::drawn;
  kernel::Metric comparisons;
  comparisons.name = "comparisons";
  spec.metrics.push_back(comparisons);
  return spec;
}

double comparisons_of(const kernel::JobSpec& job) {
  return std::stod(job.values.at("n")) + static_cast<double>(job.seed % 1000);
}

kernel::ReportEnd counting(const kernel::JobSpec& job) {
  kernel::ReportEnd report = honest(job);
  report.measurement.values["comparisons"] = {comparisons_of(job), false, false};
  return report;
}

/// Counts less once the smoke runs are over.
kernel::ReportEnd lazy_when_it_counts(const kernel::JobSpec& job) {
  kernel::ReportEnd report = counting(job);
  if (kernel::run_number(job.run) > most_smoke) report.measurement.values["comparisons"].value /= 2;
  return report;
}

std::vector<const Run*> repeats_in(const Study& study) {
  std::vector<const Run*> list;
  for (const Run& run : study.runs)
    if (run.purpose == Purpose::repeat) list.push_back(&run);
  return list;
}

/// The smoke run that was repeated.
const Run& repeated_in(const Study& study) {
  const Run& repeat = *repeats_in(study).front();
  return *std::ranges::find_if(study.runs, [&](const Run& run) {
    return run.purpose == Purpose::smoke && run.cell == repeat.cell && run.seed == repeat.seed;
  });
}

Study concluded(const kernel::StudySpec& spec, const fakes::FakeExecutor::Job& job, int draws = 0) {
  World world(job);
  world.draws = draws;
  world.open(spec);
  return finished(world);
}

std::vector<std::string> warnings_of(const Study& study) {
  return kernel::newest_words(study.hypotheses.at(0).result->warnings);
}

bool said(const std::vector<std::string>& list, const std::string& part) {
  return std::ranges::any_of(list, [&](const std::string& text) { return text.find(part) != text.npos; });
}

}  // namespace

TEST_CASE("a smoke run is repeated twice among the registered runs: which one and where, the draw gives") {
  std::set<std::pair<int, int>> places;
  std::set<std::string> repeated;
  for (int draw = 0; draw < 12; ++draw) {
    const Study study = concluded(with_comparisons(), counting, 100 * draw);
    const auto repeats = repeats_in(study);
    REQUIRE(repeats.size() == 2);
    const Run& smoke = repeated_in(study);
    repeated.insert(smoke.label);
    const int first = most_smoke + 1, last = static_cast<int>(study.runs.size());
    CHECK(last == most_smoke + 24 + 2);
    for (const Run* run : repeats) {
      CHECK(run->cell == smoke.cell);
      CHECK(run->seed == smoke.seed);
      CHECK(run->label == fmt::format("r{}", smoke.number));
      CHECK(run->experiment == "E01");
      CHECK(run->state == kernel::RunState::succeeded);
      CHECK_FALSE(run->evidence());
      CHECK(run->number > first);
    }
    CHECK(repeats[1]->number - repeats[0]->number > 1);
    places.emplace(repeats[0]->number, repeats[1]->number);
    const kernel::HypothesisResult& result = *study.hypotheses[0].result;
    CHECK(result.verdict == Verdict::supported);
    CHECK(study.integrity.empty());
    for (const Run& run : study.runs) CHECK((run.purpose == Purpose::registered) == run.evidence());
  }
  CHECK(places.size() > 8);
  // The run with another seed is in the cell of the reference.
  CHECK(repeated == std::set<std::string>{"reference", "algorithm", "n"});
}

TEST_CASE("a job sees nothing of a repeat but its cell and its seed") {
  World world(counting);
  world.open(with_comparisons());
  const Study study = finished(world);
  const auto job_of = [&](int number) {
    return *std::ranges::find(world.executor.started, study.run_id(number), &kernel::JobSpec::run);
  };
  const kernel::JobSpec smoke = job_of(repeated_in(study).number), repeat = job_of(repeats_in(study).front()->number);
  CHECK(repeat.values == smoke.values);
  CHECK(repeat.seed == smoke.seed);
  CHECK(repeat.attempt == smoke.attempt);
  CHECK(repeat.params_json == smoke.params_json);
  CHECK(repeat.workspace == smoke.workspace);
  CHECK(repeat.set == smoke.set);
  CHECK(repeat.pass == smoke.pass);
}

TEST_CASE("there are no repeats without something to compare them with, nor in logs of before") {
  const std::vector<std::pair<const char*, void (*)(kernel::StudySpec&)>> without = {
      {"a program without results that are read", [](kernel::StudySpec& spec) { spec.design.reading = false; }},
      {"no manipulation check", [](kernel::StudySpec& spec) { spec.design.smoke = false; }},
      {"times alone", [](kernel::StudySpec& spec) { spec.metrics.pop_back(); }},
      {"a rate is a time", [](kernel::StudySpec& spec) { spec.metrics.back().unit = "items/s"; }},
      {"seeds that follow from the study's", [](kernel::StudySpec& spec) { spec.seeds = kernel::SeedRule::derived; }},
  };
  for (const auto& [what, change] : without) {
    CAPTURE(what);
    kernel::StudySpec spec = with_comparisons();
    change(spec);
    const Study study = concluded(spec, counting);
    CHECK(study.outcome == kernel::StudyOutcome::concluded);
    CHECK(repeats_in(study).empty());
    CHECK(static_cast<int>(study.runs.size()) == (spec.design.smoke ? most_smoke : 0) + 24);
  }
}

TEST_CASE("only a smoke run that succeeded in a registered cell is repeated") {
  for (int draw = 0; draw < 6; ++draw) {
    kernel::StudySpec spec = with_comparisons();
    spec.hypotheses[0].where = {{"n", "100"}};
    const Study study = concluded(
        spec,
        [](const kernel::JobSpec& job) {
          kernel::ReportEnd report = counting(job);
          if (kernel::run_number(job.run) == 1) report.outcome.exit = 1;
          return report;
        },
        100 * draw);
    REQUIRE(repeats_in(study).size() == 2);
    CHECK(repeated_in(study).label == "algorithm");
  }
  const Study study = concluded(with_comparisons(), [](const kernel::JobSpec& job) {
    kernel::ReportEnd report = counting(job);
    if (kernel::run_number(job.run) <= 3) report.outcome.exit = 1;
    return report;
  });
  CHECK(repeats_in(study).empty());
}

TEST_CASE("a study of several stages and a reproduction on pinned seeds have no repeats") {
  kernel::StudySpec spec = with_comparisons();
  CHECK(kernel::repeats_smoke(spec));
  kernel::StudySpec staged = spec;
  staged.stages.resize(2);
  CHECK_FALSE(kernel::repeats_smoke(staged));
  kernel::StudySpec pinned = spec;
  pinned.design.pinned = {{{{"algorithm", "quick"}, {"n", "100"}}, {7}}};
  CHECK_FALSE(kernel::repeats_smoke(pinned));
  kernel::StudySpec search = spec;
  search.kind = kernel::StudyKind::screen;
  CHECK_FALSE(kernel::repeats_smoke(search));
  // Only the test data score this metric, and smoke runs do not see them.
  kernel::StudySpec scored = spec;
  scored.metrics.back().source = kernel::FromEvaluator{};
  scored.evaluator.test.emplace();
  CHECK_FALSE(kernel::repeats_smoke(scored));
  scored.evaluator.validation.emplace();
  CHECK(kernel::repeats_smoke(scored));
}

TEST_CASE("with looks, the repeats come before the first look") {
  kernel::StudySpec spec = with_comparisons();
  spec.design.replicates_min = spec.design.replicates_max = 12;
  spec.design.looks = kernel::Looks{{0.5, 1}, false};
  const Study study = concluded(spec, [](const kernel::JobSpec& job) {
    kernel::ReportEnd report = counting(job);
    // As far apart as the noise: not decided at the first look.
    report.measurement.values["time_ms"].value = noise(job, 10) + (job.values.at("algorithm") == "quick" ? 0.0 : 0.1);
    return report;
  });
  REQUIRE(study.experiments.front().going_on.size() == 1);
  REQUIRE(study.experiments.front().going_on.front().size() == 1);
  const auto repeats = repeats_in(study);
  REQUIRE(repeats.size() == 2);
  const int first_part = most_smoke + 24 + 2;
  CHECK(repeats[1]->number <= first_part);
  CHECK(static_cast<int>(study.runs.size()) == first_part + 24);
}

TEST_CASE("a job that behaves otherwise where runs count is found, and every verdict says so") {
  const Study study = concluded(with_comparisons(), lazy_when_it_counts);
  const auto repeats = repeats_in(study);
  REQUIRE(study.integrity.size() == 1);
  const kernel::IntegrityFound& found = study.integrity.front();
  CHECK(found.metric == "comparisons");
  CHECK(found.averted);
  const Run& smoke = repeated_in(study);
  CHECK(found.runs == std::vector{smoke.number, repeats[0]->number, repeats[1]->number});
  const double value = smoke.measurement.values.at("comparisons").value;
  CHECK(
      newest_words(found.message) ==
      fmt::format("comparisons was {:.6g} in smoke run r{} and {:.6g} in r{} and r{}, the same setting and seed among "
                  "the registered runs: the job behaves otherwise where runs count.",
                  value, smoke.number, value / 2, repeats[0]->number, repeats[1]->number));
  // The hypothesis is about the time, and a person wrote the code.
  CHECK(study.hypotheses[0].result->verdict == Verdict::supported);
  CHECK(said(warnings_of(study), "the job behaves otherwise where runs count"));
}

TEST_CASE("a job that behaves otherwise in one arm is found where the repeated run is in that arm") {
  int found = 0;
  for (int draw = 0; draw < 12; ++draw) {
    const Study study = concluded(
        with_comparisons(),
        [](const kernel::JobSpec& job) {
          return job.values.at("algorithm") == "quick" ? lazy_when_it_counts(job) : counting(job);
        },
        100 * draw);
    CHECK(study.integrity.size() == (repeated_in(study).label == "algorithm" ? 1 : 0));
    found += static_cast<int>(study.integrity.size());
  }
  CHECK(found > 0);
}

TEST_CASE("no hypothesis is concluded on an agent's code that behaves otherwise, and the finding names lines to read") {
  Study study = concluded(with_comparisons(), lazy_when_it_counts);
  study.workspace.by = "engineer";
  study.workspace.reads = {{kernel::CodeRead::clock, "job.py:7: time.time()", true},
                           {kernel::CodeRead::sleep, "job.py:9: time.sleep(1)", true}};
  study.hypotheses[0].result.reset();
  const auto found = kernel::repeat_findings(study, study.experiments.front());
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found.front().averted);
  CHECK(newest_words(found.front().message).ends_with(" Lines to read: job.py:7: time.time()."));
  const kernel::ExperimentAnalysed analysed = kernel::analyse(study, study.experiments.front());
  CHECK(analysed.results.at(0).verdict == Verdict::inconclusive);
  CHECK(newest_words(analysed.results.at(0).reason).find("the job behaves otherwise") != std::string::npos);
}

TEST_CASE("a metric that does not repeat itself raises no finding") {
  stats::Xoshiro random(1);
  const Study study = concluded(with_comparisons(), [&](const kernel::JobSpec& job) {
    kernel::ReportEnd report = honest(job);
    report.measurement.values["comparisons"] = {100 + random.normal(), false, false};
    return report;
  });
  CHECK(repeats_in(study).size() == 2);
  CHECK(study.integrity.empty());
}

TEST_CASE("of noisy metrics with few values, runs that agree by chance are no finding about a person's code") {
  stats::Xoshiro random(2);
  int agreed = 0;
  for (int i = 0; i < 60; ++i) {
    kernel::StudySpec spec = with_comparisons();
    Study study = concluded(
        spec,
        [&](const kernel::JobSpec& job) {
          kernel::ReportEnd report = honest(job);
          report.measurement.values["comparisons"] = {random.uniform() < 0.5 ? 0.0 : 1.0, false, false};
          return report;
        },
        100 * i);
    const auto repeats = repeats_in(study);
    const auto value = [](const Run& run) { return run.measurement.values.at("comparisons").value; };
    const bool alike = value(*repeats[0]) == value(*repeats[1]) && value(*repeats[0]) != value(repeated_in(study));
    agreed += alike ? 1 : 0;
    CHECK(study.integrity.empty());
    // It is at most a warning about an agent's code.
    study.workspace.by = "engineer";
    const auto found = kernel::repeat_findings(study, study.experiments.front());
    CHECK(found.size() == (alike ? 1 : 0));
    for (const kernel::IntegrityFound& one : found) CHECK(one.averted);
  }
  CHECK(agreed > 5);
}

TEST_CASE("a coarse metric is found where another one shows that runs repeat themselves") {
  kernel::StudySpec spec = with_comparisons();
  kernel::Metric solved;
  solved.name = "solved";
  spec.metrics.push_back(solved);
  const Study study = concluded(spec, [](const kernel::JobSpec& job) {
    kernel::ReportEnd report = counting(job);
    const bool counts = kernel::run_number(job.run) > most_smoke;
    const double right = static_cast<double>(job.seed / 7 % 2);
    report.measurement.values["solved"] = {counts ? 1 - right : right, false, false};
    return report;
  });
  REQUIRE(study.integrity.size() == 1);
  CHECK(study.integrity.front().metric == "solved");
}

TEST_CASE("a repeat that fails is no failure of an arm, and a lost one is repeated") {
  std::uint64_t smoke_seed = 0;
  int lost = 0;
  const Study study = concluded(with_comparisons(), [&](const kernel::JobSpec& job) {
    kernel::ReportEnd report = counting(job);
    if (kernel::run_number(job.run) == 1) smoke_seed = job.seed;
    if (kernel::run_number(job.run) <= most_smoke || job.seed != smoke_seed) return report;
    if (++lost == 1) {
      report.outcome.end = kernel::JobEnd::lost;
      return report;
    }
    report.outcome.exit = 3;
    report.measurement.values.clear();
    return report;
  });
  const auto repeats = repeats_in(study);
  REQUIRE(repeats.size() == 3);
  CHECK(repeats[2]->retry_of == repeats[0]->number);
  CHECK(repeats[2]->state == kernel::RunState::failed);
  CHECK(study.hypotheses[0].result->verdict == Verdict::supported);
  CHECK(study.hypotheses[0].result->failed == std::array{0, 0});
  CHECK(study.stopped_arms.empty());
  CHECK(study.integrity.empty());
}

TEST_CASE("repeats are no values of an experiment, and are given up with it") {
  World world(counting);
  world.open(with_comparisons(), 1);
  kernel::Loop loop(world.parts());
  loop.run([](const kernel::State& state) { return state.study("s1") && !state.study("s1")->experiments.empty(); });
  Study study = *loop.state().study("s1");
  const auto repeats = repeats_in(study);
  REQUIRE(repeats.size() == 2);
  CHECK_FALSE(kernel::values_seen(study, "E01"));
  Run& ended = study.runs[static_cast<std::size_t>(repeats[0]->number) - 1];
  ended.measurement.values["time_ms"] = {1, false, false};
  CHECK_FALSE(kernel::values_seen(study, "E01"));
  const std::vector<int> waiting = kernel::waiting_runs(study);
  for (const Run* run : repeats) CHECK(std::ranges::find(waiting, run->number) != waiting.end());
  world.say(kernel::Cancel{"enough"});
  loop.run(World::at_rest);
  for (const Run* run : repeats_in(*loop.state().study("s1"))) CHECK(run->state == kernel::RunState::cancelled);
}
