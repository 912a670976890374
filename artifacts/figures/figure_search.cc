#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "artifacts/figures/cell_roles.h"
#include "artifacts/figures/figures.h"
#include "artifacts/figures/plot.h"
#include "artifacts/words/study_words.h"
#include "kernel/evidence/derived_metrics.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Factor;
using kernel::Metric;
using kernel::SearchPlan;
using kernel::Study;

namespace {

constexpr std::size_t most_factors = 6, most_shown_effects = 30;

/// A run of the selection with its value.
struct Tried {
  const kernel::Run* run = nullptr;
  std::size_t position = 0;  ///< Among all runs of the selection, from 1.
  double value = 0;
};

/// Runs that succeeded with a finite value, in the order in which they were queued.
struct Selection {
  std::vector<Tried> tried;
  std::size_t all = 0, without = 0;
};

Selection selection_of(const Study& study, const Metric& metric) {
  Selection selection;
  const kernel::RunValues measured(study.spec, study);
  for (const kernel::Run& run : study.runs) {
    if (run.experiment != study.search->plan.registered.experiment || run.superseded || !run.stage.empty()) continue;
    if (!run.ended() || run.state == kernel::RunState::lost || run.state == kernel::RunState::cancelled) continue;
    ++selection.all;
    const auto value = measured.of(run, metric);
    const bool usable = run.state == kernel::RunState::succeeded && value && !value->censored && !value->worst &&
                        std::isfinite(value->value);
    if (usable)
      selection.tried.push_back({&run, selection.all, value->value});
    else
      ++selection.without;
  }
  return selection;
}

std::string tried_words(const Study& study, const Tried& tried, const Metric& metric) {
  return fmt::format("{}, {}: {}", study.run_id(tried.run->number), cell_text(cell_of(study, *tried.run)),
                     prose::with_unit(prose::rounded(tried.value), metric.unit));
}

Figure figure_of(const Study& study, const std::string& stem, const std::string& title) {
  Figure figure;
  figure.experiment = study.search->plan.registered.experiment;
  figure.drawing.name = fmt::format("{}_{}", stem, figure.experiment);
  figure.title = title;
  return figure;
}

bool is_baseline(const Study& study, const Tried& tried) {
  const auto& baseline = study.search->plan.baseline;
  return baseline && std::ranges::all_of(*baseline, [&](const auto& level) {
           return value_in(cell_of(study, *tried.run), level.first) == level.second;
         });
}

PlotAxis value_axis(const Metric& metric, const std::vector<double>& values) {
  PlotAxis axis{metric.name + in_brackets(metric.unit)};
  set_range(axis, values);
  axis.log = axis.low > 0 && axis.high / axis.low >= 50;
  return axis;
}

/// Every run in its order, and the best value so far; with fidelities, of each rung, since others are not comparable.
Figure progress(const Study& study, const Metric& metric, const Selection& selection) {
  const SearchPlan& plan = study.search->plan;
  const bool minimize = plan.goal == kernel::Goal::minimize;
  const std::string id = plan.registered.experiment.text();
  Figure figure = figure_of(study, "progress", fmt::format("The course of the selection {}", id));
  PlotLayer dots{PlotShape::dots, 0}, reference{PlotShape::dots, 1}, best{PlotShape::steps, 4};
  figure.values.header = {"position", "run", "rung", "baseline", "cell", "metric", "unit", "value", "best_so_far"};
  double so_far = 0;
  bool any = false;  ///< Whether there is a best value so far.
  std::string rung;
  std::vector<double> values;
  const auto end_line = [&](std::size_t at) {
    if (any) best.points.push_back({static_cast<double>(at), so_far});
  };
  for (const Tried& tried : selection.tried) {
    if (!plan.fidelity.empty() && tried.run->label != rung && any) {
      end_line(tried.position);
      best.points.push_back({0, std::numeric_limits<double>::quiet_NaN()});
      any = false;
    }
    rung = tried.run->label;
    const bool reference_run = is_baseline(study, tried);
    const bool better = !any || (minimize ? tried.value < so_far : tried.value > so_far);
    const double x = static_cast<double>(tried.position);
    (reference_run ? reference : dots).points.push_back({x, tried.value, {}, {}, tried_words(study, tried, metric)});
    if (better) {
      so_far = tried.value;
      any = true;
      best.points.push_back({x, tried.value});
    }
    values.push_back(tried.value);
    figure.values.rows.push_back({std::to_string(tried.position), study.run_id(tried.run->number), tried.run->label,
                                  reference_run ? "true" : "false", cell_text(cell_of(study, *tried.run)), metric.name,
                                  metric.unit, exact(tried.value), exact(so_far)});
  }
  end_line(selection.all);
  Plot plot;
  plot.y = value_axis(metric, values);
  PlotPanel panel;
  panel.x = {"runs of the selection, in the order in which they were queued", 1,
             static_cast<double>(std::max<std::size_t>(2, selection.all))};
  panel.layers = {best, dots};
  if (!reference.points.empty()) panel.layers.push_back(std::move(reference));
  plot.panels.push_back(std::move(panel));
  plot.note =
      fmt::format("Blue dots: runs.{} Black steps: best value so far{}. The best of many looks better than it is.",
                  plan.baseline ? " Orange dots: the baseline." : "", plan.fidelity.empty() ? "" : " within a rung");
  figure.drawing = plot_drawing(figure.drawing.name, plot);
  figure.caption = fmt::format(
      "{}{} of every run of the selection that has a value, in order{}, and the best so far{}. Selection, never "
      "evidence: the best single value of many looks better than it is, and the confirmation ran on seeds of its "
      "own.{}",
      metric.name, in_brackets(metric.unit), plan.baseline ? "; the baseline's are orange" : "",
      plan.fidelity.empty() ? "" : fmt::format(" of a rung, since rungs differ in {}", plan.fidelity),
      selection.without
          ? fmt::format(" {} without a value.", prose::counted(static_cast<long long>(selection.without), "run"))
          : "");
  const auto [low, high] = std::ranges::minmax(values);
  figure.alt = fmt::format("Values of {} from {} to {} over {}; best {}.", metric.name, prose::rounded(low),
                           prose::with_unit(prose::rounded(high), metric.unit),
                           prose::counted(static_cast<long long>(selection.tried.size()), "run"),
                           prose::rounded(minimize ? low : high));
  figure.type = "points with a step line";
  figure.axes = {"X = runs in their order",
                 fmt::format("Y = {} ({} scale)", plot.y.label, plot.y.log ? "logarithmic" : "linear")};
  return figure;
}

/// Only the first rung: in later ones the settings that are left were chosen by their values.
std::vector<Tried> first_rung(const SearchPlan& plan, const Selection& selection) {
  // Versions have no rungs; of a search by a model the first one has too few runs to show anything.
  if (plan.code || plan.design == kernel::SearchDesign::model) return selection.tried;
  std::vector<Tried> first;
  for (const Tried& tried : selection.tried)
    if (tried.run->label == selection.tried.front().run->label) first.push_back(tried);
  return first;
}

/// The metric over the levels of one factor.
PlotPanel response_of(const Study& study, const Factor& factor, const std::vector<Tried>& tried, const Metric& metric,
                      PlainTable& table) {
  std::map<std::size_t, CellMean> levels;
  for (const Tried& one : tried) {
    CellMean& level = levels[level_index(factor, value_in(cell_of(study, *one.run), factor.name))];
    level.values.push_back(one.value);
    level.runs.push_back(one.run->number);
  }
  PlotPanel panel;
  const bool numeric = is_numeric(factor);
  panel.x.label = factor.name;
  panel.x.levels = !numeric;
  std::vector<double> xs;
  PlotLayer dots{PlotShape::dots, 0}, means{PlotShape::marks, 0};
  std::size_t place = 0;
  std::map<std::size_t, double> at;
  for (auto& [index, level] : levels) {
    const kernel::Level& named = factor.levels[index];
    const double x = numeric ? *named.value.number : static_cast<double>(place++);
    at[index] = x;
    xs.push_back(x);
    panel.x.ticks.emplace_back(x, named.name);
  }
  set_range(panel.x, xs);
  std::ranges::sort(panel.x.ticks);
  panel.x.log = numeric && panel.x.low > 0 && panel.x.high / panel.x.low >= 30;
  // The dots of runs are left of the dot of their mean.
  const double width = numeric ? 0 : 0.3,
               span = panel.x.log ? std::log10(panel.x.high / panel.x.low) : panel.x.high - panel.x.low;
  const auto beside = [&](double x) {
    return !numeric ? x - 0.14 : panel.x.log ? x * std::pow(10.0, -0.012 * span) : x - 0.012 * span;
  };
  for (auto& [index, level] : levels) {
    describe(level);
    const kernel::Level& named = factor.levels[index];
    for (std::size_t i = 0; i < level.values.size(); ++i)
      dots.points.push_back({beside(at[index]) + width * spread_of(i),
                             level.values[i],
                             {},
                             {},
                             fmt::format("{}, {} = {}: {}", study.run_id(level.runs[i]), factor.name, named.name,
                                         prose::with_unit(prose::rounded(level.values[i]), metric.unit))});
    const bool interval = level.mean && level.low;
    const auto half = prose::half_width(level.low, level.mean, level.high);
    // The mean of one run is that run.
    if (interval)
      means.points.push_back(
          {at[index] + (numeric ? 0 : 0.16), *level.mean, level.low, level.high,
           fmt::format("{} = {}: mean {} {} at {}, {}", factor.name, named.name,
                       prose::with_unit(prose::rounded(*level.mean, half), metric.unit),
                       prose::interval_text(level.low, level.high, half), prose::level_text(level_of_means),
                       prose::counted(static_cast<long long>(level.values.size()), "run"))});
    table.rows.push_back({factor.name, named.name, metric.name, metric.unit, std::to_string(level.values.size()),
                          level.mean ? exact(*level.mean) : "", interval ? exact(*level.low) : "",
                          interval ? exact(*level.high) : ""});
  }
  panel.layers = {std::move(dots), std::move(means)};
  return panel;
}

std::optional<Figure> response(const Study& study, const Metric& metric, const Selection& selection) {
  const SearchPlan& plan = study.search->plan;
  const std::vector<Tried> tried = first_rung(plan, selection);
  std::vector<kernel::Cell> cells;
  std::vector<double> values;
  for (const Tried& one : tried) {
    cells.push_back(cell_of(study, *one.run));
    values.push_back(one.value);
  }
  std::vector<const Factor*> factors = varying_factors(study.spec, cells);
  if (factors.empty()) return std::nullopt;
  Figure figure = figure_of(study, "response",
                            fmt::format("{} by factor in the selection {}", metric.name, plan.registered.experiment));
  figure.values.header = {"factor", "level", "metric", "unit", "n", "mean", "low_95", "high_95"};
  Plot plot;
  plot.y = value_axis(metric, values);
  std::vector<std::string> left_out;
  for (const Factor* factor : factors) {
    if (plot.panels.size() == most_factors) {
      left_out.push_back(factor->name);
      continue;
    }
    plot.panels.push_back(response_of(study, *factor, tried, metric, figure.values));
  }
  plot.note =
      "Dots: runs. Symbols and bars: mean over the other factors' settings with its 95 % interval (Student's t), "
      "where a level has at least two runs.";
  figure.drawing = plot_drawing(figure.drawing.name, plot);
  const bool modelled = plan.design == kernel::SearchDesign::model;
  const bool rungs = !plan.code && !modelled && plan.rungs.size() > 1;
  figure.caption = fmt::format(
      "{}{} of the runs of {}, by the level of each factor, with the mean over the settings of the other factors that "
      "were tried and its 95 % interval (Student's t; not corrected for their number). Selection, never evidence.{}{}",
      metric.name, in_brackets(metric.unit), rungs ? "the first rung" : "the selection",
      rungs      ? " Later rungs are left out, since their settings were chosen by their values."
      : modelled ? " Most settings were chosen by the values before them, so that good ones are here more often."
                 : "",
      left_out.empty() ? "" : fmt::format(" Not drawn: {}.", listed(left_out)));
  figure.alt =
      fmt::format("{} by {}.", metric.name, joined_text(factors, ", ", [](const Factor* f) { return f->name; }));
  for (const auto& row : figure.values.rows)
    if (!row[6].empty() && figure.alt.size() < 700)
      figure.alt += fmt::format(" {} = {}: mean {}.", row[0], row[1], prose::rounded(std::stod(row[5])));
  figure.type = "points with error bars";
  figure.axes = {"X = levels of a factor",
                 fmt::format("Y = {} ({} scale)", plot.y.label, plot.y.log ? "logarithmic" : "linear")};
  return figure;
}

/// A screening's effects, where they were estimated.
std::optional<Figure> screened(const Study& study, const Metric& metric) {
  if (study.search->ranked.empty()) return std::nullopt;
  const SearchPlan& plan = study.search->plan;
  Figure figure = figure_of(study, "effects",
                            fmt::format("Effects of the factors in the selection {}", plan.registered.experiment));
  figure.values.header = {"factors", "from", "to", "effect", "low", "high", "level", "carried_forward"};
  const bool log = metric.scale == kernel::Scale::log;
  const double level = 1 - study.spec.design.alpha;
  Plot plot;
  PlotPanel panel;
  PlotLayer kept{PlotShape::spans, 0}, dropped{PlotShape::spans, 4}, zero{PlotShape::rule};
  std::vector<double> xs{0};
  std::size_t without = 0;
  for (const kernel::FactorEffect& e : study.search->ranked.back().effects) {
    if (!e.effect || !std::isfinite(*e.effect) || plot.y.ticks.size() == most_shown_effects) {
      ++without;
      continue;
    }
    const double y = -static_cast<double>(plot.y.ticks.size());
    const std::string factors = joined_text(e.factors, " × ");
    const std::string name = e.low.empty() ? factors : fmt::format("{}: {} to {}", factors, e.low, e.high);
    plot.y.ticks.emplace_back(y, name);
    const auto half = prose::half_width(e.interval_low, e.effect, e.interval_high);
    std::string words = prose::rounded(*e.effect, half);
    if (e.interval_low) words += "  " + prose::interval_text(e.interval_low, e.interval_high, half);
    panel.right.emplace_back(y, words);
    (e.kept ? kept : dropped)
        .points.push_back(
            {*e.effect, y, e.interval_low, e.interval_high,
             fmt::format("{}: {} at {}{}", name, words, prose::level_text(level), e.kept ? ", carried forward" : "")});
    for (const auto& x : {e.effect, e.interval_low, e.interval_high})
      if (x && std::isfinite(*x)) xs.push_back(*x);
    figure.values.rows.push_back(
        {factors, e.low, e.high, exact(*e.effect), e.interval_low ? exact(*e.interval_low) : "",
         e.interval_high ? exact(*e.interval_high) : "", exact(level), e.kept ? "true" : "false"});
  }
  if (plot.y.ticks.empty()) return std::nullopt;
  plot.y.levels = true;
  plot.y.low = -static_cast<double>(plot.y.ticks.size() - 1);
  plot.y.high = 0;
  panel.x = {log ? "effect on the logarithm of " + metric.name : "effect on " + metric.name + in_brackets(metric.unit)};
  set_range(panel.x, xs);
  zero.points = {{0, plot.y.low - 0.6}, {0, plot.y.high + 0.6}};
  panel.layers = {std::move(zero), std::move(dropped), std::move(kept)};
  plot.panels.push_back(std::move(panel));
  plot.note = fmt::format("Bars: {} interval (Student's t, for a single look). Blue: carried into the confirmation.",
                          prose::level_text(level));
  figure.drawing = plot_drawing(figure.drawing.name, plot);
  figure.caption = fmt::format(
      "The effect of changing each factor, with its {} interval (Student's t, for a single look; selection, never "
      "evidence), the largest relative to its error first; blue ones were carried into the confirmation.{}",
      prose::level_text(level),
      without ? fmt::format(" {} not drawn: see evidence/results/{}.md.",
                            prose::counted(static_cast<long long>(without), "effect"), plan.registered.experiment)
              : "");
  figure.alt = "Effects of a screening.";
  for (const auto& row : figure.values.rows)
    if (figure.alt.size() < 700) figure.alt += fmt::format(" {}: {}.", row[0], prose::rounded(std::stod(row[3])));
  figure.type = "points with confidence intervals";
  figure.axes = {fmt::format("X = {} (linear scale)", plot.panels.front().x.label), "Y = factors"};
  return figure;
}

}  // namespace

std::vector<Figure> search_figures(const Study& study) {
  std::vector<Figure> figures;
  const Metric* metric = study.search ? study.spec.metric(study.search->plan.metric) : nullptr;
  if (!metric) return figures;
  const Selection selection = selection_of(study, *metric);
  if (selection.tried.size() < 2) return figures;
  const bool screen = study.search->plan.kind == kernel::StudyKind::screen;
  if (screen)
    if (auto figure = screened(study, *metric)) figures.push_back(std::move(*figure));
  // A screening looks for no best setting.
  if (!screen) figures.push_back(progress(study, *metric, selection));
  if (auto figure = response(study, *metric, selection)) figures.push_back(std::move(*figure));
  return figures;
}

}  // namespace artifacts
