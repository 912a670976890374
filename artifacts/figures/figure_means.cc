#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "artifacts/figures/cell_means.h"
#include "artifacts/figures/figures.h"
#include "artifacts/figures/means_layout.h"
#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "kernel/inference/estimate.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Experiment;
using kernel::Metric;
using kernel::Study;

namespace {

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

std::string alt_text(const MeansLayout& layout, const Study& study, const Metric& metric) {
  std::string text = fmt::format("Means of {} with 95 % intervals.", metric.name);
  std::size_t said = 0, all = 0;
  for (const MeansPanel& panel : layout.panels)
    for (const MeansSeries& series : panel.series)
      for (const MeansPoint& point : series.points) {
        ++all;
        if (!point.cell->mean || ++said > 12) continue;
        const auto half = prose::half_width(point.cell->low, point.cell->mean, point.cell->high);
        text += fmt::format(" {}: {}.", cell_text(study.cells[static_cast<std::size_t>(point.cell->cell)]),
                            prose::with_unit(prose::rounded(*point.cell->mean, half), metric.unit));
      }
  if (all > 12) text += fmt::format(" {} more in the table of cells.", all - 12);
  return text;
}

}  // namespace

std::vector<Figure> means_figures(const Study& study, const Experiment& experiment) {
  constexpr std::size_t most_figures = 12;
  const std::string& id = experiment.registration.experiment;
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
      figures.push_back(std::move(figure));
    }
  }
  if (left_out && !figures.empty()) figures.back().caption += " Further cells stand in the table of cells only.";
  return figures;
}

}  // namespace artifacts
