// Sentences of the report that a stranger reads, made from a study whose results are set by hand.

#include <set>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/figures/means_drawing.h"
#include "artifacts/words/result_tables.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/layers.h"
#include "artifacts/write/report.h"
#include "kernel/views/shapes.h"
#include "tests/artifacts/samples/sample_study.h"

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

kernel::HypothesisRecord averaged(const SampleStudy& sample, double first, double second) {
  kernel::HypothesisRecord record = sample.study().hypotheses.at(0);
  record.hypothesis.over = kernel::Over::average;
  record.result->settings = {{{{"n", "100"}}, first, first - 1, first + 1, 0.95},
                             {{{"n", "200"}}, second, std::nullopt, std::nullopt, 0}};
  return record;
}

}  // namespace

TEST_CASE("what a hypothesis averages over is shown setting by setting, with what differs") {
  const SampleStudy sample;
  const std::string torn = artifacts::settings_text(sample.study(), averaged(sample, -9.82, 5.76));
  CHECK(holds(torn, "Signs differ: the effect is above zero at n = 200, and below zero at n = 100."));
  CHECK(holds(torn, "| n | Effect | 95 % interval |\n"));
  CHECK(holds(torn, "| 100 | -9.8 ms | [-10.8, -8.8] ms |\n"));
  CHECK(holds(torn, "| 200 | 5.76 ms | none |\n"));
  const std::string alike = artifacts::settings_text(sample.study(), averaged(sample, 1, 2));
  CHECK(holds(alike, "The effect is above zero in both."));
  CHECK_FALSE(holds(alike, "Signs differ"));
  CHECK(artifacts::settings_text(sample.study(), sample.study().hypotheses.at(0)).empty());
}

TEST_CASE("a test says whether it is of the average or of every cell") {
  const SampleStudy sample;
  kernel::StudySpec spec = sample.study().spec;
  kernel::Hypothesis h = spec.hypotheses.at(0);
  h.where.clear();
  h.requirements.clear();
  std::string crossed;
  for (const kernel::Factor& factor : spec.factors)
    if (!h.treatment.contains(factor.name) && factor.levels.size() > 1)
      crossed += (crossed.empty() ? "" : " and ") + factor.name;
  REQUIRE_FALSE(crossed.empty());
  h.over = kernel::Over::average;
  CHECK(kernel::tested_words(spec, h, kernel::wording_version).ends_with("; on average over " + crossed));
  h.over = kernel::Over::every;
  CHECK(kernel::tested_words(spec, h, kernel::wording_version).ends_with("; in every cell of " + crossed));
}

TEST_CASE("dead ends are sentences, whatever they were written as") {
  kernel::Study study = SampleStudy().study();
  study.nodes.clear();
  kernel::Node node;
  node.type = kernel::NodeType::dead_end;
  node.title = "no run succeeded";
  node.fields = {{"why_failed", "exit 1"}, {"lesson", "time_ms is not the place to look"}};
  study.nodes.push_back(node);
  CHECK(holds(artifacts::dead_ends_section(study),
              "- **No run succeeded.** Exit 1. *Lesson:* time_ms is not the place to look.\n"));
}

TEST_CASE("a picture's text describes it, also where there is no effect or no interval") {
  const SampleStudy sample;
  kernel::Study study = sample.study();
  for (kernel::HypothesisRecord& record : study.hypotheses) {
    record.result->low.reset();
    record.result->high.reset();
    record.result->relative_low.reset();
    record.result->relative_high.reset();
  }
  study.hypotheses.at(0).result->effect.reset();
  study.hypotheses.at(0).result->effect_relative.reset();
  const auto figures = artifacts::effects_figures(study, study.experiments.at(0), artifacts::FigureStyle::newest);
  REQUIRE_FALSE(figures.empty());
  const std::string& alt = figures.at(0).alt;
  CAPTURE(alt);
  CHECK_FALSE(holds(alt, "not available"));
  CHECK(holds(alt, study.hypotheses.at(0).hypothesis.id + ": no effect is drawn ("));
  CHECK(holds(alt, " without an interval ("));
}

TEST_CASE("no two series are told apart by their colour alone, and every figure has a text in its place") {
  std::set<std::string> colours, dashes;
  std::set<int> points;
  for (std::size_t i = 0; i < artifacts::most_series; ++i) {
    const artifacts::Mark mark = artifacts::mark(i);
    colours.insert(mark.colour);
    points.insert(mark.point);
    dashes.insert(mark.dash);
  }
  CHECK(colours.size() == artifacts::most_series);
  CHECK(points.size() == artifacts::most_series);
  CHECK(dashes.size() == artifacts::most_series);
  const SampleStudy sample;
  const kernel::Study study = sample.study();
  const kernel::Experiment& experiment = study.experiments.at(0);
  for (const auto& figures : {artifacts::effects_figures(study, experiment, artifacts::FigureStyle::newest),
                              artifacts::means_figures(study, experiment, artifacts::FigureStyle::newest),
                              artifacts::means_figures(study, experiment, artifacts::FigureStyle::before_layout_3),
                              artifacts::runs_figures(study, experiment)}) {
    CHECK_FALSE(figures.empty());
    for (const artifacts::Figure& figure : figures) CHECK(figure.alt.size() > 20);
  }
}

TEST_CASE("that runs had no sandbox is a limit, and some are not all") {
  kernel::Study study = SampleStudy().study();
  const auto said = [&] { return fmt::format("{}", fmt::join(artifacts::limits(study), "\n")); };
  CHECK_FALSE(holds(said(), "sandbox"));
  study.runs.at(0).outcome.sandboxed = false;
  CHECK(holds(said(), "Some runs were not sandboxed: what they read and wrote is not confined."));
  for (kernel::Run& run : study.runs) run.outcome.sandboxed = false;
  CHECK(holds(said(), "No run was sandboxed: what the runs read and wrote is not confined."));
  study.environment.machine[kernel::walls_fact] = "Landlock";
  CHECK(holds(said(), "No run was sandboxed, for the machine could make no sandbox. The runs were held by Landlock."));
  study.wording = 7;
  CHECK(holds(said(),
              "Some runs were not sandboxed, for the machine could make no sandbox. They were held by Landlock."));
}

TEST_CASE("what a study took is said, and of what nothing counted that nothing did") {
  const SampleStudy sample;
  kernel::Study study = sample.study();
  std::string said = artifacts::cost_section(study);
  CHECK(holds(said, "**Energy**: not measured"));
  CHECK(holds(said, "**Models**: none was asked"));
  REQUIRE_FALSE(study.accounts.empty());
  study.accounts[0].energy = kernel::EnergySpent{12.5, 3, false};
  study.accounts[0].calls = 2;
  study.accounts[0].tokens = 1500;
  study.accounts[0].usd = 0.25;
  study.accounts[0].gpu_seconds = 3600;
  said = artifacts::cost_section(study);
  CHECK(holds(said, "**Energy**: 12.5 J over 3 runs, by the machine's counters, with what else went on"));
  CHECK(holds(said, "**Models**: 2 calls, 1500 tokens, 0.25 USD."));
  CHECK(holds(said, "**GPUs**: 1 GPU hours."));
  study.models = {{"hypothesis", "own", 2, 1000, 0, 500, 0, 1}};
  CHECK(holds(artifacts::cost_section(study),
              "**Models**: 2 calls, 1500 tokens, 0.25 USD, without the calls whose price is not known."));
}

TEST_CASE("the report has each model's calls, tokens and dollars by role, and who answered") {
  kernel::Ledger ledger;
  kernel::ModelUse use{"hypothesis", "thinker", 4, 1000, 810, 90, 0.125};
  CHECK(artifacts::models_section({{}, {use}}).empty());  // no reply of an older log states its origin
  use.answers = {{{"gpt-x", "high"}, {"gpt-x-2026-01-01", "flex", "fp_1"}, 3}, {{"gpt-x", ""}, {"gpt-y|", "", ""}, 1}};
  ledger.models = {use, {"reviewer", "own", 1, 10, 0, 5, 0, 1}};
  const std::string said = artifacts::models_section(ledger);
  CHECK(holds(said, "| hypothesis | thinker | 4 | 1000 | 81 % | 90 | 0.125 |\n"));
  CHECK(holds(said, "| reviewer | own | 1 | 10 | none reported | 5 | price not known |\n"));
  CHECK(holds(said, "| hypothesis | gpt-x | high | gpt-x-2026-01-01 | flex | fp_1 | 3 |\n"));
  CHECK(holds(said, "| hypothesis | gpt-x | not stated | gpt-y\\| | not stated | not stated | 1 |\n"));
  CHECK(said.ends_with("\nAsked for gpt-x, gpt-y\\| answered in 1 of 4 calls.\n"));
  ledger.models[0].answers.assign(70, use.answers[0]);
  CHECK(holds(artifacts::models_section(ledger), "\n10 rows more stand in etude.json.\n"));
}

TEST_CASE("a provider that states too few tokens stands at the top of the report and of the paper") {
  kernel::Study study = SampleStudy().study();
  const auto warned = [&] {
    const std::vector<std::string> list = artifacts::cautions(study);
    return std::ranges::count_if(list, [](const auto& text) { return text.starts_with("Token counts: "); });
  };
  study.models = {{"hypothesis", "own", 3, 1000, 0, 500, 0, 0}};
  CHECK(warned() == 0);
  study.models[0].understated = {2, 14, 240, 900};
  CHECK(warned() == 1);
  CHECK(
      std::ranges::count(artifacts::cautions(study),
                         "Token counts: The provider of model own states 14 tokens for 2 of 3 calls, whose texts have "
                         "at least 240: the 900 tokens that were set aside for them are charged.") == 1);
}

TEST_CASE("the corrected p is a q where the false discovery rate is held") {
  kernel::Study study = SampleStudy().study();
  CHECK(holds(artifacts::claims_page(study), "- p corrected: "));
  study.spec.design.correction = kernel::Correction::benjamini_hochberg;
  CHECK(holds(artifacts::claims_page(study), "- q (FDR): "));
  CHECK_FALSE(holds(artifacts::claims_page(study), "p corrected"));
  CHECK(artifacts::verdict_table(study, "E01").header.at(9) == "q (FDR)");
}

TEST_CASE("shares within runs are not said to be compared as outcomes, and a pure number has no unit") {
  kernel::Study study = SampleStudy().study();
  kernel::HypothesisRecord& record = study.hypotheses.at(0);
  for (kernel::Metric& metric : study.spec.metrics) {
    if (metric.name != record.hypothesis.metric) continue;
    metric.type = kernel::MetricType::proportion;
    metric.deterministic = false;
    metric.unit = "1";
  }
  record.hypothesis.method = kernel::Method::automatic;
  record.hypothesis.margin.reset();
  record.hypothesis.where["n"] = "500";
  record.result->by_shares = false;
  CHECK(kernel::hypothesis_shape(record, study)["method"] == "t");
  record.result->by_shares = true;
  CHECK(kernel::hypothesis_shape(record, study)["method"] == "newcombe");
  record.result->effect = 0.5;
  record.result->low = 0.25;
  record.result->high = 0.75;
  CHECK(artifacts::shown(study.spec, record).effect.text == "0.50");
  CHECK(artifacts::shown(study.spec, record).interval.text == "[0.25, 0.75]");
  record.result.reset();
  CHECK(kernel::hypothesis_shape(record, study)["method"] == "newcombe");
}
