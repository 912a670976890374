#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "artifacts/figures/figures.h"
#include "artifacts/figures/means_drawing.h"
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

struct Roles {
  const Factor* x = nullptr;       ///< Null if the axis is categorical.
  const Factor* series = nullptr;  ///< Null for a single series.
  std::vector<const Factor*> panels;
};

bool numeric(const Factor& factor) {
  const bool type = factor.type == kernel::FactorType::integer || factor.type == kernel::FactorType::number;
  return type && std::ranges::all_of(factor.levels, [](const kernel::Level& level) {
           return level.bundle.empty() && level.value.number && std::isfinite(*level.value.number);
         });
}

int contrasts_on(const kernel::Experiment& experiment, const std::string& factor) {
  int count = 0;
  for (const kernel::Hypothesis& h : experiment.registration.hypotheses) {
    const auto t = h.treatment.find(factor), c = h.control.find(factor);
    count += t != h.treatment.end() && c != h.control.end() && t->second != c->second ? 1 : 0;
  }
  return count;
}

Roles roles_of(const kernel::StudyTerms& study, const kernel::Experiment& experiment, const std::string& metric) {
  std::vector<const Factor*> varying;
  for (const Factor& factor : study.spec.factors) {
    std::set<std::string> levels;
    for (const kernel::Cell& cell : experiment.registration.cells)
      if (const auto at = cell.find(factor.name); at != cell.end()) levels.insert(at->second);
    if (levels.size() > 1) varying.push_back(&factor);
  }
  Roles roles;
  const auto take = [&](const Factor* factor) {
    std::erase(varying, factor);
    return factor;
  };
  for (const kernel::Hypothesis& h : experiment.registration.hypotheses)
    for (const Factor* factor : varying)
      if (!roles.x && h.metric == metric && h.along == factor->name && numeric(*factor)) roles.x = factor;
  for (const Factor* factor : varying)
    if (!roles.x && numeric(*factor) && contrasts_on(experiment, factor->name) == 0) roles.x = factor;
  if (roles.x) take(roles.x);
  const auto most = std::ranges::max_element(varying, [&](const Factor* a, const Factor* b) {
    return contrasts_on(experiment, a->name) < contrasts_on(experiment, b->name);
  });
  if (most != varying.end()) roles.series = take(*most);
  roles.panels = varying;
  return roles;
}

std::size_t level_index(const Factor& factor, const std::string& level) {
  for (std::size_t i = 0; i < factor.levels.size(); ++i)
    if (factor.levels[i].name == level) return i;
  return 0;
}

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

/// Metrics that a hypothesis of the experiment is about, the primary first.
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
std::string means_csv(const Study& study, const MeansLayout& layout, const Metric& metric) {
  std::vector<std::string> header;
  for (const Factor& factor : study.spec.factors) header.push_back(factor.name);
  for (const char* column : {"metric", "unit", "n", "failed", "mean", "low_95", "high_95", "sd"})
    header.push_back(column);
  std::string csv = csv_row(header);
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
        csv += csv_row(row);
      }
  return csv;
}

/// One layout per figure; none if fewer than two cells have a mean. x is the factor of a slope, else a numeric factor,
/// else the series factor; series is the factor of most contrasts.
std::vector<MeansLayout> means_layouts(const Study& study, const kernel::Experiment& experiment,
                                       const kernel::Metric& metric, const std::vector<CellMean>& means) {
  // A single cell needs no picture.
  if (std::ranges::count_if(means, [](const CellMean& cell) { return cell.mean.has_value(); }) < 2) return {};
  const Roles roles = roles_of(study, experiment, metric.name);
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

std::vector<Figure> means_figures(const Study& study, const Experiment& experiment) {
  constexpr std::size_t most_figures = 12;
  const kernel::ExperimentId& id = experiment.registration.experiment;
  std::vector<Figure> figures;
  bool left_out = false;
  for (const Metric* metric : metrics_shown(study, experiment)) {
    const std::vector<CellMean> means = cell_means(study, experiment, *metric);
    std::size_t part = 0;
    for (const MeansLayout& layout : means_layouts(study, experiment, *metric, means)) {
      if (figures.size() >= most_figures) {
        left_out = true;
        break;
      }
      Figure figure;
      const std::string stem = fmt::format("means_{}_{}", id, in_file_name(metric->name));
      figure.drawing = means_drawing(part++ ? fmt::format("{}_{}", stem, part) : stem, layout);
      figure.experiment = id;
      figure.claims = claims_of(study, id);
      figure.title = fmt::format("{} in every cell of {}", metric->name, id);
      figure.caption = fmt::format(
          "Mean of {}{} over the runs that count, with its 95 % interval (Student's t; description, not a test); "
          "faint dots are single runs.{}",
          metric->name, in_brackets(metric->unit),
          layout.cells_without_mean
              ? " " + prose::counted(layout.cells_without_mean, "cell") + " without a mean: see the table of cells."
              : "");
      figure.alt = alt_text(layout, study, *metric);
      figure.type = layout.categorical ? "points with error bars" : "lines with error bars";
      figure.axes = {fmt::format("X = {} ({})", layout.x_label,
                                 layout.categorical ? "levels"
                                 : layout.log_x     ? "logarithmic scale"
                                                    : "linear scale"),
                     fmt::format("Y = {} ({} scale)", layout.y_label, layout.log_y ? "logarithmic" : "linear")};
      if (shows_sizes(study)) figure.csv = means_csv(study, layout, *metric);
      figures.push_back(std::move(figure));
    }
  }
  if (left_out && !figures.empty()) figures.back().caption += " Further cells stand in the table of cells only.";
  return figures;
}

}  // namespace artifacts
