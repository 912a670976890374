#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "artifacts/figures/cell_roles.h"
#include "artifacts/figures/figures.h"
#include "artifacts/figures/plot.h"
#include "artifacts/words/study_words.h"
#include "prose/numbers.h"
#include "stats/basics/descriptive.h"

namespace artifacts {

using kernel::Metric;
using kernel::Study;

namespace {

constexpr std::size_t most_cells = 20, most_of_experiment = 6, most_dots_drawn = 4000;
constexpr std::size_t least_for_box = 5;  ///< Quartiles of fewer values say nothing.

bool differ(const std::vector<double>& values) {
  return std::ranges::adjacent_find(values, std::not_equal_to()) != values.end();
}

/// How many runs of each cell are drawn.
std::size_t drawn_of_cell(std::size_t cells) {
  return most_dots_drawn / std::max<std::size_t>(1, cells);
}

struct Quartiles {
  double low = 0, middle = 0, high = 0;
};
Quartiles quartiles_of(std::vector<double> values) {
  std::ranges::sort(values);
  return {stats::sorted_quantile(values, 0.25), stats::sorted_quantile(values, 0.5),
          stats::sorted_quantile(values, 0.75)};
}

Plot strips(const Study& study, const std::vector<const CellMean*>& cells, const PlotAxis& x, const Metric& metric,
            const std::vector<const kernel::Factor*>& varying) {
  Plot plot;
  PlotPanel panel;
  panel.title = "rows: " + joined_text(varying, ", ", [](const kernel::Factor* factor) { return factor->name; });
  panel.x = x;
  PlotLayer boxes{PlotShape::boxes, 0}, dots{PlotShape::dots, 0};
  for (std::size_t row = 0; row < cells.size(); ++row) {
    const CellMean& cell = *cells[row];
    const double y = -static_cast<double>(row);
    const std::string label = levels_text(study.cells[static_cast<std::size_t>(cell.cell)], varying);
    plot.y.ticks.push_back({y, label});
    const std::size_t n = cell.values.size();
    panel.right.push_back({y, fmt::format("n = {}{}", n, cell.failed ? fmt::format(", {} failed", cell.failed) : "")});
    if (n >= least_for_box) {
      const auto [low, middle, high] = quartiles_of(cell.values);
      boxes.points.push_back({middle, y, low, high,
                              fmt::format("{}: median {}, quartiles {} and {}", label,
                                          prose::with_unit(prose::rounded(middle), metric.unit), prose::rounded(low),
                                          prose::rounded(high))});
    }
    for (std::size_t i = 0; i < std::min(n, drawn_of_cell(cells.size())); ++i)
      dots.points.push_back({cell.values[i],
                             y + 0.5 * spread_of(i),
                             {},
                             {},
                             fmt::format("{}, {}: {}", study.run_id(cell.runs[i]), label,
                                         prose::with_unit(prose::rounded(cell.values[i]), metric.unit))});
  }
  plot.y.levels = true;
  plot.y.low = -static_cast<double>(cells.size() - 1);
  plot.y.high = 0;
  panel.layers = {std::move(boxes), std::move(dots)};
  plot.panels.push_back(std::move(panel));
  plot.note = fmt::format(
      "Dots: runs. Boxes: quartiles of the runs, with the median, in cells of at least {} runs; no intervals.",
      least_for_box);
  return plot;
}

PlainTable runs_table(const Study& study, const std::vector<const CellMean*>& cells, const Metric& metric) {
  PlainTable table;
  table.header = {column_beside_factors(study, "run")};
  for (const kernel::Factor& factor : study.spec.factors) table.header.push_back(factor.name);
  for (const char* column : {"metric", "unit", "value"}) table.header.push_back(column_beside_factors(study, column));
  for (const CellMean* cell : cells)
    for (std::size_t i = 0; i < cell->values.size(); ++i) {
      std::vector<std::string> row{study.run_id(cell->runs[i])};
      for (const kernel::Factor& factor : study.spec.factors)
        row.push_back(value_in(study.cells[static_cast<std::size_t>(cell->cell)], factor.name));
      row.insert(row.end(), {metric.name, metric.unit, exact(cell->values[i])});
      table.rows.push_back(std::move(row));
    }
  return table;
}

/// The cells that have a run, and how their values lie.
std::string strips_alt(const Study& study, const std::vector<const CellMean*>& cells, const Metric& metric,
                       const std::vector<const kernel::Factor*>& varying) {
  std::string text = fmt::format("Every run's {} by cell.", metric.name);
  for (std::size_t i = 0; i < std::min<std::size_t>(cells.size(), 12); ++i) {
    const auto [low, high] = std::ranges::minmax(cells[i]->values);
    text += fmt::format(" {}: {} to {}.", levels_text(study.cells[static_cast<std::size_t>(cells[i]->cell)], varying),
                        prose::rounded(low), prose::with_unit(prose::rounded(high), metric.unit));
  }
  return text;
}

}  // namespace

std::vector<Figure> runs_figures(const Study& study, const kernel::Experiment& experiment) {
  const kernel::ExperimentId& id = experiment.registration.experiment;
  const auto varying = varying_factors(study.spec, experiment.registration.cells);
  std::vector<Figure> figures;
  std::vector<std::string> left_out;
  for (const Metric* metric : metrics_shown(study, experiment)) {
    const std::vector<CellMean> all = cell_means(study, experiment, *metric, FigureStyle::newest);
    std::vector<const CellMean*> cells;
    std::vector<double> values;
    for (const CellMean& cell : all) {
      if (cell.values.empty()) continue;
      cells.push_back(&cell);
      values.insert(values.end(), cell.values.begin(), cell.values.end());
    }
    if (cells.empty() || cells.front()->outcomes) continue;
    if (std::ranges::none_of(cells, [](const CellMean* cell) { return differ(cell->values); })) continue;
    PlotAxis x{metric->name + in_brackets(metric->unit)};
    set_range(x, values);
    x.log = x.low > 0 && x.high / x.low >= 50;
    std::size_t part = 0;
    for (std::size_t from = 0; from < cells.size(); from += most_cells) {
      if (figures.size() >= most_of_experiment) {
        left_out.push_back(metric->name);
        break;
      }
      const std::vector<const CellMean*> shown(
          cells.begin() + static_cast<std::ptrdiff_t>(from),
          cells.begin() + static_cast<std::ptrdiff_t>(std::min(cells.size(), from + most_cells)));
      const std::string stem = fmt::format("runs_{}_{}", id, in_file_name(metric->name));
      Figure figure;
      figure.drawing =
          plot_drawing(part++ ? fmt::format("{}_{}", stem, part) : stem, strips(study, shown, x, *metric, varying));
      figure.experiment = id;
      figure.claims = claims_of(study, id);
      figure.title = fmt::format("Every run of {}: {}", id, metric->name);
      figure.caption = fmt::format(
          "{}{} of every run that counts and succeeded, by cell: dots, spread out vertically so that they can be told "
          "apart. Boxes are quartiles with the median, in cells of at least {} runs; they are no intervals.",
          metric->name, in_brackets(metric->unit), least_for_box);
      const std::size_t drawn = drawn_of_cell(shown.size());
      if (std::ranges::any_of(shown, [&](const CellMean* cell) { return cell->values.size() > drawn; }))
        figure.caption += fmt::format(" Of a cell {} runs are drawn.", drawn);
      figure.alt = strips_alt(study, shown, *metric, varying);
      figure.type = "strip plot with quartiles";
      figure.axes = {fmt::format("X = {} ({} scale)", x.label, x.log ? "logarithmic" : "linear"), "Y = cells"};
      figure.values = runs_table(study, shown, *metric);
      figures.push_back(std::move(figure));
    }
  }
  if (!left_out.empty() && !figures.empty())
    figures.back().caption +=
        fmt::format(" Further cells of {} stand in evidence/results/{}.csv only.", listed(left_out), id);
  return figures;
}

}  // namespace artifacts
