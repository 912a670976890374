#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "artifacts/figures/cell_roles.h"
#include "artifacts/figures/figures.h"
#include "artifacts/figures/means_drawing.h"
#include "artifacts/figures/plot.h"
#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Experiment;
using kernel::Factor;
using kernel::Metric;
using kernel::Study;

namespace {

constexpr std::size_t most_panels = 6;

void set_ranges(MeansLayout& layout, const std::vector<CellMean>& means, bool want_log_x) {
  std::vector<double> ys;
  // All figures of a metric have the same y axis, so that they can be compared.
  for (const CellMean& cell : means) {
    for (const auto& y : {cell.mean, cell.low, cell.high})
      if (y && std::isfinite(*y)) ys.push_back(*y);
    if (cell.mean) ys.insert(ys.end(), cell.values.begin(), cell.values.end());
  }
  layout.x_low = layout.x_ticks.front().first;
  layout.x_high = layout.x_ticks.back().first;
  std::vector<double> means_only;
  for (const CellMean& cell : means)
    if (cell.mean) means_only.push_back(*cell.mean);
  const auto [low, high] = std::ranges::minmax_element(means_only);
  const bool positive = std::ranges::all_of(means, [](const CellMean& cell) {
    return !cell.mean || std::ranges::all_of(cell.values, [](double value) { return value > 0; });
  });
  layout.log_y = positive && *low > 0 && *high / *low >= 50;
  layout.log_x = !layout.categorical && layout.x_low > 0 && (want_log_x || layout.x_high / layout.x_low >= 50);
  if (layout.log_y) std::erase_if(ys, [](double y) { return y <= 0; });
  const auto [y_low, y_high] = std::ranges::minmax_element(ys);
  layout.y_low = *y_low;
  layout.y_high = *y_high;
}

/// A figure has a limited number of marks; further series get figures of their own.
MeansPanel only_marks(const MeansPanel& panel, std::size_t first) {
  MeansPanel part{panel.title, {}};
  for (MeansSeries series : panel.series) {
    if (series.mark < first || series.mark >= first + most_series) continue;
    series.mark -= first;
    part.series.push_back(std::move(series));
  }
  return part;
}

std::string alt_text(const MeansLayout& layout, const kernel::RunBoard& board, const Metric& metric) {
  std::string text = fmt::format("Means of {} with 95 % intervals.", metric.name);
  std::size_t said = 0, all = 0;
  for (const MeansPanel& panel : layout.panels)
    for (const MeansSeries& series : panel.series)
      for (const MeansPoint& point : series.points) {
        ++all;
        if (!point.cell->mean || ++said > 12) continue;
        const auto half = prose::half_width(point.cell->low, point.cell->mean, point.cell->high);
        text += fmt::format(" {}: {}.", cell_text(board.cells[static_cast<std::size_t>(point.cell->cell)]),
                            prose::with_unit(prose::rounded(*point.cell->mean, half), metric.unit));
      }
  if (all > 12) text += fmt::format(" {} more in the table of cells.", all - 12);
  return text;
}

/// The cells that are drawn.
PlainTable means_table(const Study& study, const MeansLayout& layout, const Metric& metric, FigureStyle style) {
  PlainTable table;
  for (const Factor& factor : study.spec.factors) table.header.push_back(factor.name);
  for (const char* column : {"metric", "unit", "n", "failed", "mean", "low_95", "high_95", "sd"})
    table.header.push_back(column_beside_factors(study, column));
  if (style == FigureStyle::newest) table.header.push_back(column_beside_factors(study, "interval"));
  const auto number = [](const std::optional<double>& value) { return value ? exact(*value) : std::string(); };
  for (const MeansPanel& panel : layout.panels)
    for (const MeansSeries& series : panel.series)
      for (const MeansPoint& point : series.points) {
        const CellMean& cell = *point.cell;
        std::vector<std::string> row;
        for (const Factor& factor : study.spec.factors)
          row.push_back(value_in(study.cells[static_cast<std::size_t>(cell.cell)], factor.name));
        row.insert(row.end(),
                   {metric.name, metric.unit, std::to_string(cell.values.size()), std::to_string(cell.failed),
                    number(cell.mean), number(cell.low), number(cell.high), number(cell.sd)});
        if (style == FigureStyle::newest)
          row.push_back(!cell.low ? "none" : cell.outcomes ? "Wilson's scores" : "Student's t");
        table.rows.push_back(std::move(row));
      }
  return table;
}

/// "0.34 ms [0.33, 0.35] at 95 %, 12 runs, 1 failed"
std::string mean_words(const CellMean& cell, const Metric& metric) {
  const auto half = prose::half_width(cell.low, cell.mean, cell.high);
  std::string text = prose::with_unit(prose::rounded(*cell.mean, half), metric.unit);
  if (cell.low)
    text += " " + prose::interval_text(cell.low, cell.high, half) + " at " + prose::level_text(level_of_means);
  text += ", " + prose::counted(static_cast<long long>(cell.values.size()), "run");
  if (cell.failed) text += fmt::format(", {} failed", cell.failed);
  return text;
}

std::string run_words(const Study& study, const CellMean& cell, std::size_t i, const Metric& metric) {
  return fmt::format("{}: {}", study.run_id(cell.runs[i]),
                     prose::with_unit(prose::rounded(cell.values[i]), metric.unit));
}

constexpr std::size_t most_dots = 200;  ///< Of one cell.

/// "3/8" above or below the bar, so that two series side by side can be read.
PlotPoint counted(double x, const CellMean& cell, bool above) {
  const double y = above ? cell.high.value_or(*cell.mean) : cell.low.value_or(*cell.mean);
  return {x,
          y,
          {},
          above ? std::optional(y) : std::nullopt,
          fmt::format("{}/{}", std::ranges::count(cell.values, 1.0), cell.values.size())};
}

/// The style of layout 3: each cell has a dot for every run, and a bar only if its mean has an interval.
Plot means_plot(const Study& study, const Experiment& experiment, const MeansLayout& layout, const Metric& metric) {
  const bool outcomes = layout.panels.front().series.front().points.front().cell->outcomes;
  const std::vector<const Factor*> varying = varying_factors(study.spec, experiment.registration.cells);
  Plot plot;
  plot.legend = layout.legend;
  plot.y = {outcomes ? metric.name + ": share of runs" : layout.y_label, layout.y_low, layout.y_high, layout.log_y};
  if (outcomes) plot.y.low = 0, plot.y.high = 1;
  PlotAxis x{layout.x_label, layout.x_low, layout.x_high, layout.log_x, layout.x_ticks, layout.categorical};
  const double span = layout.log_x ? std::log10(layout.x_high / layout.x_low) : layout.x_high - layout.x_low;
  const auto moved = [&](double at, double by) { return layout.log_x ? at * std::pow(10.0, by) : at + by; };
  const double series_count = static_cast<double>(std::max<std::size_t>(1, layout.legend.size()));
  // Series stand side by side, so that bars at the same x do not overlap.
  const double between = layout.categorical ? 0.36 : std::min(0.03, 0.16 / series_count) * (span > 0 ? span : 1);
  if (!layout.categorical) {
    x.low = moved(x.low, -between * series_count / 2);
    x.high = moved(x.high, between * series_count / 2);
  }
  for (const MeansPanel& from : layout.panels) {
    PlotPanel panel{from.title, x, {}, {}};
    std::vector<PlotLayer> dots, lines, marks, words;
    for (const MeansSeries& s : from.series) {
      const double by = layout.categorical ? 0.12 : between * (static_cast<double>(s.mark) - (series_count - 1) / 2);
      PlotLayer runs{PlotShape::dots, s.mark}, means{PlotShape::marks, s.mark}, counts{PlotShape::words, s.mark};
      for (const MeansPoint& point : s.points) {
        const CellMean& cell = *point.cell;
        const std::string label =
            levels_text(study.cells[static_cast<std::size_t>(cell.cell)], varying) + ": " + mean_words(cell, metric);
        means.points.push_back({moved(point.x, by), *cell.mean, cell.low, cell.high, label});
        const double middle = layout.categorical ? point.x - 0.16 : moved(point.x, by);
        if (outcomes)
          counts.points.push_back(counted(moved(point.x, by), cell, /*above=*/layout.categorical || s.mark % 2 == 0));
        else
          for (std::size_t i = 0; i < std::min(cell.values.size(), most_dots); ++i)
            runs.points.push_back({moved(middle, 0.75 * between * spread_of(i)),
                                   cell.values[i],
                                   {},
                                   {},
                                   run_words(study, cell, i, metric)});
      }
      if (!layout.categorical && means.points.size() > 1) {
        PlotLayer& line = lines.emplace_back(PlotLayer{PlotShape::line, s.mark});
        for (const PlotPoint& point : means.points) line.points.push_back({point.x, point.y});
      }
      if (!runs.points.empty()) dots.push_back(std::move(runs));
      if (!counts.points.empty()) words.push_back(std::move(counts));
      marks.push_back(std::move(means));
    }
    for (auto* layers : {&dots, &lines, &marks, &words})
      for (PlotLayer& layer : *layers) panel.layers.push_back(std::move(layer));
    plot.panels.push_back(std::move(panel));
  }
  plot.note = outcomes
                  ? "Symbols and bars: share of runs with its 95 % interval (Wilson's scores), and successes / runs."
                  : "Dots: single runs. Symbols and bars: mean with its 95 % interval (Student's t), where at least "
                    "two runs have a value.";
  return plot;
}

std::string means_caption(const MeansLayout& layout, const Metric& metric, FigureStyle style) {
  const std::string missing = layout.cells_without_mean ? " " + prose::counted(layout.cells_without_mean, "cell") +
                                                              " without a mean: see the table of cells."
                                                        : "";
  if (style == FigureStyle::newest && layout.panels.front().series.front().points.front().cell->outcomes)
    return fmt::format(
        "Share of the runs that count with {} = 1, with its 95 % interval (Wilson's scores, of which the interval of a "
        "difference is made; description, not a test), and the numbers of successes and runs.{}",
        metric.name, missing);
  const bool cut = style == FigureStyle::newest && std::ranges::any_of(layout.panels, [](const MeansPanel& panel) {
                     return std::ranges::any_of(panel.series, [](const MeansSeries& series) {
                       return std::ranges::any_of(series.points, [](const MeansPoint& point) {
                         return point.cell->values.size() > most_dots;
                       });
                     });
                   });
  return fmt::format(
      "Mean of {}{} over the runs that count, with its 95 % interval (Student's t; description, not a test); {}dots "
      "are single runs{}.{}",
      metric.name, in_brackets(metric.unit), style == FigureStyle::newest ? "" : "faint ",
      cut ? fmt::format(", at most {} of a cell", most_dots) : "", missing);
}

constexpr std::size_t most_alone = 8;

/// One panel with the cells side by side, where each would have a panel of its own.
MeansLayout cells_alone(const Study& study, const Experiment& experiment, MeansLayout layout,
                        const std::vector<CellMean>& means) {
  const std::vector<const Factor*> varying = varying_factors(study.spec, experiment.registration.cells);
  layout.categorical = true;
  layout.x_label = joined_text(varying, ", ", [](const Factor* factor) { return factor->name; });
  layout.x_ticks.clear();
  MeansSeries series;
  for (const CellMean& mean : means) {
    if (!mean.mean) continue;
    const double x = static_cast<double>(series.points.size());
    series.points.push_back({x, &mean});
    layout.x_ticks.emplace_back(x, levels_text(study.cells[static_cast<std::size_t>(mean.cell)], varying));
  }
  layout.panels = {{"", {std::move(series)}}};
  set_ranges(layout, means, false);
  return layout;
}

/// One layout per figure; none if fewer than two cells have a mean. x is the factor of a slope, else a numeric factor,
/// else the series factor; series is the factor of most contrasts.
std::vector<MeansLayout> means_layouts(const Study& study, const kernel::Experiment& experiment,
                                       const kernel::Metric& metric, const std::vector<CellMean>& means,
                                       FigureStyle style) {
  // A single cell needs no picture.
  if (std::ranges::count_if(means, [](const CellMean& cell) { return cell.mean.has_value(); }) < 2) return {};
  const CellRoles roles = roles_of(study, experiment, metric.name);
  const Factor* categories = roles.x ? nullptr : roles.series;

  // The key has the levels of the panel factors, in the factors' order.
  std::map<std::vector<std::size_t>, MeansPanel> panels;
  MeansLayout base;
  base.categorical = !roles.x;
  base.y_label = metric.name + in_brackets(metric.unit);
  base.x_label = roles.x ? roles.x->name : categories ? categories->name : "";
  std::vector<std::size_t> marks;
  std::set<std::pair<double, std::string>> ticks;
  for (const CellMean& mean : means) {
    const kernel::Cell& cell = study.cells[static_cast<std::size_t>(mean.cell)];
    if (!mean.mean) {
      ++base.cells_without_mean;
      continue;
    }
    std::vector<std::size_t> key;
    std::string title;
    for (const Factor* factor : roles.panels) {
      key.push_back(level_index(*factor, value_in(cell, factor->name)));
      title += (title.empty() ? "" : ", ") + factor->name + ": " + value_in(cell, factor->name);
    }
    const std::string series_level = roles.series ? value_in(cell, roles.series->name) : "";
    const std::size_t series_index = roles.series ? level_index(*roles.series, series_level) : 0;
    double x = 0;
    std::string tick;
    if (roles.x) {
      tick = value_in(cell, roles.x->name);
      x = *roles.x->level(tick)->value.number;
    } else if (categories) {
      tick = series_level;
      x = static_cast<double>(series_index);
    }
    ticks.insert({x, tick});
    const std::size_t used = base.categorical ? 0 : series_index;
    auto known = std::ranges::find(marks, used);
    if (known == marks.end()) {
      marks.push_back(used);
      known = marks.end() - 1;
    }
    MeansPanel& panel = panels[key];
    panel.title = title;
    auto series = std::ranges::find_if(panel.series, [&](const MeansSeries& s) { return s.mark == used; });
    if (series == panel.series.end()) {
      panel.series.push_back({base.categorical ? "" : series_level, used, {}});
      series = panel.series.end() - 1;
    }
    series->points.push_back({x, &mean});
  }
  base.x_ticks.assign(ticks.begin(), ticks.end());
  const bool alone = panels.size() > 1 && std::ranges::all_of(panels, [](const auto& panel) {
                       return panel.second.series.size() == 1 && panel.second.series.front().points.size() == 1;
                     });
  if (alone && style == FigureStyle::newest && means.size() <= most_alone)
    return {cells_alone(study, experiment, base, means)};

  // Marks follow the order of levels in the file; only levels that are present get one.
  std::ranges::sort(marks);
  for (auto& [key, panel] : panels)
    for (MeansSeries& series : panel.series) {
      series.mark = static_cast<std::size_t>(std::ranges::find(marks, series.mark) - marks.begin());
      std::ranges::sort(series.points, [](const auto& a, const auto& b) { return a.x < b.x; });
    }
  if (roles.series && !base.categorical)
    for (const std::size_t index : marks) base.legend.push_back(roles.series->levels[index].name);

  const auto& hypotheses = experiment.registration.hypotheses;
  const bool want_log_x = roles.x && std::ranges::any_of(hypotheses, [&](const kernel::Hypothesis& h) {
                            return h.along == roles.x->name && h.slope_scale != kernel::SlopeScale::linear;
                          });
  std::vector<MeansLayout> layouts;
  for (std::size_t first = 0; first < marks.size(); first += most_series) {
    MeansLayout page = base;
    page.legend.assign(
        base.legend.begin() + static_cast<std::ptrdiff_t>(std::min(first, base.legend.size())),
        base.legend.begin() + static_cast<std::ptrdiff_t>(std::min(first + most_series, base.legend.size())));
    for (const auto& [key, panel] : panels) {
      MeansPanel part = only_marks(panel, first);
      if (part.series.empty()) continue;
      if (page.panels.size() == most_panels) {
        layouts.push_back(page);
        page.panels.clear();
      }
      page.panels.push_back(std::move(part));
    }
    layouts.push_back(std::move(page));
  }
  for (MeansLayout& layout : layouts) set_ranges(layout, means, want_log_x);
  return layouts;
}

}  // namespace

std::vector<const Metric*> metrics_shown(const kernel::StudyTerms& study, const Experiment& experiment) {
  std::vector<const Metric*> metrics;
  for (const Metric& metric : study.spec.metrics) {
    const auto& hypotheses = experiment.registration.hypotheses;
    const bool used =
        std::ranges::any_of(hypotheses, [&](const kernel::Hypothesis& h) { return kernel::is_about(h, metric.name); });
    if (metric.primary)
      metrics.insert(metrics.begin(), &metric);
    else if (used)
      metrics.push_back(&metric);
  }
  return metrics;
}

std::vector<Figure> means_figures(const Study& study, const Experiment& experiment, FigureStyle style) {
  constexpr std::size_t most_figures = 12;
  const kernel::ExperimentId& id = experiment.registration.experiment;
  std::vector<Figure> figures;
  bool left_out = false;
  for (const Metric* metric : metrics_shown(study, experiment)) {
    const std::vector<CellMean> means = cell_means(study, experiment, *metric, style);
    std::size_t part = 0;
    for (const MeansLayout& layout : means_layouts(study, experiment, *metric, means, style)) {
      if (figures.size() >= most_figures) {
        left_out = true;
        break;
      }
      Figure figure;
      const std::string stem = fmt::format("means_{}_{}", id, in_file_name(metric->name));
      const std::string name = part++ ? fmt::format("{}_{}", stem, part) : stem;
      figure.drawing = style == FigureStyle::newest ? plot_drawing(name, means_plot(study, experiment, layout, *metric))
                                                    : means_drawing(name, layout);
      figure.experiment = id;
      figure.claims = claims_of(study, id);
      figure.title = fmt::format("{} in every cell of {}", metric->name, id);
      figure.caption = means_caption(layout, *metric, style);
      figure.alt = alt_text(layout, study, *metric);
      figure.type = layout.categorical ? "points with error bars" : "lines with error bars";
      figure.axes = {fmt::format("X = {} ({})", layout.x_label,
                                 layout.categorical ? "levels"
                                 : layout.log_x     ? "logarithmic scale"
                                                    : "linear scale"),
                     fmt::format("Y = {} ({} scale)", layout.y_label, layout.log_y ? "logarithmic" : "linear")};
      if (shows_sizes(study)) figure.values = means_table(study, layout, *metric, style);
      figures.push_back(std::move(figure));
    }
  }
  if (left_out && !figures.empty()) figures.back().caption += " Further cells stand in the table of cells only.";
  return figures;
}

}  // namespace artifacts
