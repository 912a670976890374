// Figures draw what was measured or estimated and nothing else, say the level of each interval, and stay the same.

#include "artifacts/figures/figures.h"

#include <cstdlib>
#include <set>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "artifacts/read/record.h"
#include "artifacts/read/unpack.h"
#include "artifacts/write/compose.h"
#include "tests/artifacts/samples/sample_study.h"
#include "tests/places.h"

using artifacts::CellMean;
using artifacts::Figure;
using artifacts::FigureStyle;
using kernel::Study;

namespace {

/// Replaces the values of the primary metric of runs that count.
template <typename Value>
void set_values(Study& study, Value value) {
  int i = 0;
  for (kernel::Run& run : study.runs)
    if (const auto at = run.measurement.values.find("time_ms"); run.evidence() && at != run.measurement.values.end())
      at->second.value = value(i++);
}

/// Every second run succeeded in what it tried.
Study of_outcomes(const SampleStudy& sample) {
  Study study = sample.study();
  study.spec.metrics.front().type = kernel::MetricType::proportion;
  set_values(study, [](int i) { return i % 2; });
  return study;
}

std::vector<CellMean> means_of(const Study& study, FigureStyle style = FigureStyle::newest) {
  return artifacts::cell_means(study, study.experiments.at(0), study.spec.metrics.front(), style);
}

const Figure* named(const std::vector<Figure>& figures, const std::string& name) {
  for (const Figure& figure : figures)
    if (figure.drawing.name == name) return &figure;
  return nullptr;
}

bool says(const std::string& text, const std::string& words) {
  return text.find(words) != text.npos;
}

/// Points of each run: `loss` at the steps 1 to `steps`, lower for later runs.
artifacts::PointsOf reporting(int steps) {
  return [steps](const kernel::Run& run) {
    std::vector<kernel::MetricPoint> points;
    for (int step = 1; step <= steps; ++step) points.push_back({"time_ms", 100.0 / step + run.number, step, "", false});
    return points;
  };
}

Study of_fixture(const std::string& name) {
  const auto arrived = artifacts::Arrived::open(tests::source_dir() + "/tests/artifacts/fixtures/" + name);
  REQUIRE(arrived);
  const auto root = artifacts::SafeRoot::open(arrived->folder());
  REQUIRE(root);
  auto log = artifacts::read_log(*root);
  REQUIRE(log);
  return std::move(log->study);
}

void check_figure(const Figure& figure) {
  CAPTURE(figure.drawing.name);
  CHECK(figure.alt.size() > 20);
  CHECK(figure.caption.size() > 40);
  CHECK_FALSE(figure.axes.empty());
  CHECK_FALSE(figure.values.rows.empty());
  for (const auto& row : figure.values.rows) CHECK(row.size() == figure.values.header.size());
  CHECK_FALSE(figure.drawing.values.empty());
  for (const artifacts::PlacedValue& value : figure.drawing.values) {
    CAPTURE(value.text);
    CHECK(value.x >= 0);
    CHECK(value.y >= 0);
    CHECK(value.x <= figure.drawing.width);
    CHECK(value.y <= figure.drawing.height);
  }
}

}  // namespace

TEST_CASE("cells of outcomes have Wilson's interval, and one other value makes all of them measurements") {
  const SampleStudy sample;
  Study study = of_outcomes(sample);
  bool half = false;
  for (const CellMean& cell : means_of(study)) {
    REQUIRE(cell.outcomes);
    if (cell.values.size() != 6 || *cell.mean != 0.5) continue;
    half = true;
    // statsmodels: proportion_confint(3, 6, 0.05, "wilson")
    CHECK(*cell.low == Approx(0.1876163065));
    CHECK(*cell.high == Approx(0.8123836935));
  }
  CHECK(half);
  for (const CellMean& cell : means_of(study, FigureStyle::before_layout_3)) CHECK_FALSE(cell.outcomes);
  const auto figures = artifacts::means_figures(study, study.experiments.at(0), FigureStyle::newest);
  REQUIRE_FALSE(figures.empty());
  check_figure(figures.front());
  CHECK(says(figures.front().caption, "95 % interval (Wilson"));
  CHECK(says(figures.front().drawing.commands, "95 % interval (Wilson"));
  CHECK(artifacts::runs_figures(study, study.experiments.at(0)).empty());

  set_values(study, [](int i) { return i == 0 ? 0.5 : i % 2; });
  const auto other = means_of(study);
  CHECK(std::ranges::none_of(other, [](const CellMean& cell) { return cell.outcomes; }));
}

TEST_CASE("a hypothesis without an effect is not drawn but named, and without any effect there is no figure") {
  const SampleStudy sample;
  Study study = sample.study();
  const kernel::Experiment& experiment = study.experiments.at(0);
  const auto before = artifacts::effects_figures(study, experiment, FigureStyle::newest);
  REQUIRE(before.size() == 1);
  check_figure(before.front());
  CHECK_FALSE(says(before.front().caption, "Not drawn"));

  kernel::HypothesisResult& first = *study.hypotheses.at(0).result;
  first.effect.reset();
  first.effect_relative.reset();
  const auto after = artifacts::effects_figures(study, experiment, FigureStyle::newest);
  REQUIRE(after.size() == 1);
  CHECK(after.front().values.rows.size() + 1 == before.front().values.rows.size());
  CHECK(says(after.front().caption, "Not drawn, since nothing was estimated on its axis: H1."));
  CHECK(says(before.front().drawing.commands, "'H1  "));
  CHECK_FALSE(says(after.front().drawing.commands, "'H1  "));

  for (kernel::HypothesisRecord& record : study.hypotheses) {
    record.result->effect.reset();
    record.result->effect_relative.reset();
  }
  CHECK(artifacts::effects_figures(study, experiment, FigureStyle::newest).empty());
}

TEST_CASE("the forest shows whole labels, and a table has each column's name once, since wording 6") {
  const SampleStudy sample;
  Study study = sample.study();
  REQUIRE(study.spec.factor("n"));
  const kernel::Experiment& experiment = study.experiments.at(0);
  study.hypotheses.at(0).hypothesis.where["setting"] = std::string(60, 's');
  const auto drawn = [&](int wording) {
    study.wording = wording;
    std::vector<Figure> figures = artifacts::means_figures(study, experiment, FigureStyle::newest);
    for (Figure& figure : artifacts::runs_figures(study, experiment)) figures.push_back(std::move(figure));
    for (Figure& figure : artifacts::effects_figures(study, experiment, FigureStyle::newest))
      figures.push_back(std::move(figure));
    return figures;
  };
  const auto whole = [](const Figure& figure) { return says(figure.drawing.commands, std::string(60, 's')); };
  const auto once = [](const Figure& figure) {
    return std::set(figure.values.header.begin(), figure.values.header.end()).size() == figure.values.header.size();
  };
  const std::vector<Figure> newest = drawn(6), before = drawn(5);
  CHECK(std::ranges::all_of(newest, once));
  CHECK_FALSE(std::ranges::all_of(before, once));
  CHECK(whole(newest.back()));
  CHECK_FALSE(whole(before.back()));
  CHECK(newest.back().drawing.width > before.back().drawing.width);
  for (const Figure& figure : newest) check_figure(figure);
}

TEST_CASE("a mean of one run has no bar, and cells whose runs do not differ have no strips") {
  const SampleStudy sample;
  Study study = sample.study();
  for (kernel::Run& run : study.runs) run.superseded = run.superseded || run.replicate != 1;
  const auto means = means_of(study);
  CHECK(std::ranges::any_of(means, [](const CellMean& cell) { return cell.mean.has_value(); }));
  CHECK(std::ranges::none_of(means, [](const CellMean& cell) { return cell.low.has_value(); }));
  const auto figures = artifacts::means_figures(study, study.experiments.at(0), FigureStyle::newest);
  REQUIRE_FALSE(figures.empty());
  for (const Figure& figure : figures) CHECK_FALSE(says(figure.drawing.commands, "yerrorbars"));
  CHECK(artifacts::runs_figures(study, study.experiments.at(0)).empty());
}

TEST_CASE("every run that counts and succeeded is in the strips") {
  const SampleStudy sample;
  const Study& study = sample.study();
  std::set<std::string> drawn, all;
  for (const Figure& figure : artifacts::runs_figures(study, study.experiments.at(0))) {
    check_figure(figure);
    if (!figure.drawing.name.starts_with("runs_E01_time_ms")) continue;
    for (const auto& row : figure.values.rows) drawn.insert(row.front());
  }
  for (const kernel::Run& run : study.runs)
    if (run.experiment == "E01" && run.evidence() && run.state == kernel::RunState::succeeded)
      all.insert(study.run_id(run.number));
  CHECK(all.size() > 50);
  CHECK(drawn == all);
}

TEST_CASE("learning curves have the mean at the steps that half of the runs reported, and a band where three did") {
  const SampleStudy sample;
  const Study& study = sample.study();
  const kernel::Experiment& experiment = study.experiments.at(0);
  CHECK(artifacts::curve_figures(study, experiment, reporting(2)).empty());
  const auto figures = artifacts::curve_figures(study, experiment, reporting(40));
  REQUIRE_FALSE(figures.empty());
  std::size_t rows = 0;
  for (const Figure& figure : figures) {
    check_figure(figure);
    CHECK(figure.source == "evidence/results/E01_points.csv");
    CHECK(says(figure.caption, "95 % interval"));
    rows += figure.values.rows.size();
  }
  CHECK(rows % 40 == 0);

  // The numbers of one arm, from its runs.
  const Figure& first = figures.front();
  // A factor may have the name of a column; those of the curves come last.
  const auto column = [&](const std::string& name) {
    const auto& header = first.values.header;
    return static_cast<std::size_t>(header.rend() - std::ranges::find(header.rbegin(), header.rend(), name)) - 1;
  };
  const std::vector<std::string>& row = first.values.rows.front();
  double sum = 0;
  int n = 0;
  for (const kernel::Run& run : study.runs) {
    if (run.experiment != "E01" || !run.evidence() || run.state != kernel::RunState::succeeded) continue;
    const kernel::Cell& cell = study.cells[static_cast<std::size_t>(run.cell)];
    bool same = true;
    for (std::size_t f = 0; f < study.spec.factors.size(); ++f) same &= cell.at(study.spec.factors[f].name) == row[f];
    if (same) sum += 100.0 + run.number, ++n;
  }
  CHECK(row[column("step")] == "1");
  CHECK(std::stoi(row[column("n_of_runs")]) == n);
  CHECK(std::stod(row[column("mean")]) == Approx(sum / n));
  CHECK((n < 3) == row[column("low_95")].empty());

  // A step that one run alone reported has no mean.
  bool longer = false;
  const auto alone = artifacts::curve_figures(study, experiment, [&](const kernel::Run& run) {
    const bool is_first = !std::exchange(longer, true);
    return reporting(is_first ? 50 : 40)(run);
  });
  for (const Figure& figure : alone)
    for (const auto& each : figure.values.rows) CHECK(std::stoi(each[column("step")]) <= 40);
}

TEST_CASE("a search shows its course, its response and a screening's effects, and is said to be selection") {
  const Study optimized = of_fixture("optimize.zip"), screened = of_fixture("screen.zip"),
              of_code = of_fixture("code.zip");
  const auto course = artifacts::search_figures(optimized), effects = artifacts::search_figures(screened),
             versions = artifacts::search_figures(of_code);
  REQUIRE(named(course, "progress_S01"));
  REQUIRE(named(course, "response_S01"));
  REQUIRE(named(effects, "effects_S01"));
  REQUIRE(named(effects, "response_S01"));
  CHECK_FALSE(named(effects, "progress_S01"));
  // Every version has its place, not only those of a first rung.
  REQUIRE(named(versions, "response_S01"));
  CHECK(named(versions, "response_S01")->values.rows.size() > 2);
  for (const auto* figures : {&course, &effects, &versions})
    for (const Figure& figure : *figures) {
      check_figure(figure);
      CHECK(says(figure.caption, "election, never evidence"));
    }
  // The best so far never becomes worse.
  const auto& values = named(course, "progress_S01")->values;
  const bool minimize = optimized.search->plan.goal == kernel::Goal::minimize;
  std::optional<double> last;
  std::string rung;
  for (const auto& row : values.rows) {
    const double best = std::stod(row.back());
    if (last && (optimized.search->plan.fidelity.empty() || rung == row[2]))
      CHECK((minimize ? best <= *last : best >= *last));
    last = best;
    rung = row[2];
  }
  CHECK(artifacts::search_figures(SampleStudy().study()).empty());
}

TEST_CASE("figures of older artifacts keep their style, also where an older program logged them") {
  const SampleStudy sample;
  Study study = sample.study();
  const auto none = [](const std::string&) { return std::string(); };
  const auto names = [&](int layout) {
    std::set<std::string> found;
    for (const Figure& figure : artifacts::drawings_of(study, layout, none).figures) found.insert(figure.drawing.name);
    return found;
  };
  CHECK_FALSE(names(2).contains("runs_E01_time_ms"));
  CHECK(names(3).contains("runs_E01_time_ms"));
  study.pictures = kernel::PicturesDrawn{{{"evidence/figures/effects_E01.svg", {}}}, ""};
  CHECK(names(3) == names(2));
  study.pictures->files.push_back({"evidence/figures/effects_E01.pdf", {}});
  CHECK(names(3).contains("runs_E01_time_ms"));
}

TEST_CASE("the same drawing gives the same files, byte for byte") {
  const SampleStudy sample;
  const auto figures =
      artifacts::effects_figures(sample.study(), sample.study().experiments.at(0), FigureStyle::newest);
  REQUIRE_FALSE(figures.empty());
  // Not by the stand-in, which the other tests draw with.
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/usr/bin:/bin", 1);
  const auto first = artifacts::draw({figures.front().drawing}, artifacts::Formats::all);
  const auto second = artifacts::draw({figures.front().drawing}, artifacts::Formats::all);
  ::setenv("PATH", path.c_str(), 1);
  REQUIRE(first.trouble.empty());
  const artifacts::Picture &one = first.pictures.begin()->second, &other = second.pictures.begin()->second;
  CHECK(one.svg == other.svg);
  CHECK(one.png == other.png);
  CHECK(one.pdf == other.pdf);
  CHECK(says(one.pdf, "(D:20000101000000"));
}
