#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "artifacts/figures/cell_roles.h"
#include "artifacts/figures/figures.h"
#include "artifacts/figures/means_drawing.h"
#include "artifacts/figures/plot.h"
#include "artifacts/words/study_words.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Metric;
using kernel::Study;

namespace {

constexpr std::size_t least_steps = 3, most_steps = 160, most_threads = 20, most_metrics = 4, most_grid = 6;
constexpr std::size_t least_for_band = 3, most_drawn_points = 40'000, most_told_steps = 12;

using Curve = std::map<std::int64_t, double>;  ///< Step → value.

/// One cell's runs that succeeded and reported steps.
struct ArmCurves {
  int cell = 0;  ///< Index into Study::cells.
  std::vector<int> runs;
  std::vector<Curve> curves;  ///< Of each run.
  std::vector<std::pair<std::int64_t, CellMean>> means;
};

/// The mean at each step that at least half of the runs reported, and two. At most `most_steps`, with the last.
void add_means(ArmCurves& arm, bool outcomes) {
  std::map<std::int64_t, CellMean> at;
  for (const Curve& curve : arm.curves)
    for (const auto& [step, value] : curve) at[step].values.push_back(value);
  std::erase_if(at, [&](const auto& step) {
    return step.second.values.size() < 2 || 2 * step.second.values.size() < arm.curves.size();
  });
  const std::size_t every = 1 + (at.size() > 0 ? at.size() - 1 : 0) / most_steps;
  std::size_t i = 0;
  for (auto& [step, mean] : at) {
    const bool last = i + 1 == at.size();
    if (i++ % every != 0 && !last) continue;
    mean.outcomes = outcomes;
    describe(mean);
    arm.means.emplace_back(step, std::move(mean));
  }
}

std::size_t steps_of(const std::vector<ArmCurves>& arms) {
  std::size_t most = 0;
  for (const ArmCurves& arm : arms)
    for (const Curve& curve : arm.curves) most = std::max(most, curve.size());
  return most;
}

bool counts(const kernel::Run& run, const kernel::Experiment& experiment) {
  return run.experiment == experiment.registration.experiment && run.evidence() &&
         run.state == kernel::RunState::succeeded && !run.measurement.metrics.sha256.empty();
}

/// Metric → its arms, in the order of the registration's cells. If no run has enough points for a curve, empty, and no
/// points are read.
std::map<std::string, std::vector<ArmCurves>> curves_of(const Study& study, const kernel::Experiment& experiment,
                                                        const PointsOf& points_of) {
  const auto may_have_curve = [&](const kernel::Run& run) {
    return counts(run, experiment) && run.measurement.points >= static_cast<std::int64_t>(least_steps);
  };
  if (std::ranges::none_of(study.runs, may_have_curve)) return {};
  std::map<std::string, std::map<int, ArmCurves>> all;
  for (const kernel::Run& run : study.runs) {
    if (!counts(run, experiment)) continue;
    std::map<std::string, Curve> curves;
    for (const kernel::MetricPoint& point : points_of(run))
      if (point.step && point.item.empty() && !point.censored && std::isfinite(point.value))
        curves[point.name][*point.step] = point.value;
    for (const Metric& metric : study.spec.metrics) {
      const auto curve = curves.find(metric.name);
      if (curve == curves.end()) continue;
      ArmCurves& arm = all[metric.name][run.cell];
      arm.cell = run.cell;
      arm.runs.push_back(run.number);
      arm.curves.push_back(std::move(curve->second));
    }
  }
  std::map<std::string, std::vector<ArmCurves>> sorted;
  for (auto& [metric, arms] : all)
    for (const kernel::Cell& cell : experiment.registration.cells)
      if (const auto number = study.cell_numbers.find(cell); number != study.cell_numbers.end())
        if (const auto arm = arms.find(number->second); arm != arms.end())
          sorted[metric].push_back(std::move(arm->second));
  return sorted;
}

PlotLayer threads_of(const ArmCurves& arm, std::size_t mark, std::size_t most, const Study& study,
                     const Metric& metric) {
  PlotLayer layer{PlotShape::threads, mark};
  for (std::size_t i = 0; i < std::min(arm.curves.size(), most); ++i) {
    const Curve& curve = arm.curves[i];
    const std::size_t every = 1 + (curve.size() - 1) / most_steps;
    std::size_t k = 0;
    for (const auto& [step, value] : curve) {
      const bool last = k + 1 == curve.size();
      if (k++ % every != 0 && !last) continue;
      layer.points.push_back({static_cast<double>(step),
                              value,
                              {},
                              {},
                              last ? fmt::format("{}, step {}: {}", study.run_id(arm.runs[i]), step,
                                                 prose::with_unit(prose::rounded(value), metric.unit))
                                   : ""});
    }
    layer.points.push_back({0, std::numeric_limits<double>::quiet_NaN()});
  }
  return layer;
}

/// A page of panels, whose arms are told apart by the factor of most contrasts.
struct CurvePage {
  Plot plot;
  std::vector<const ArmCurves*> arms;
  bool fewer_threads = false;
};

class CurvePages {
 public:
  CurvePages(const Study& study, const kernel::Experiment& experiment, const Metric& metric,
             const std::vector<ArmCurves>& arms)
      : study_(study), metric_(metric), arms_(arms), roles_(roles_of_curves(study, experiment)) {
    std::vector<double> xs, ys;
    std::size_t points = 0;
    for (const ArmCurves& arm : arms)
      for (const Curve& curve : arm.curves) {
        points += std::min(curve.size(), most_steps);
        for (const auto& [step, value] : curve) {
          xs.push_back(static_cast<double>(step));
          ys.push_back(value);
        }
      }
    x_.label = "step";
    set_range(x_, xs);
    y_.label = metric.name + in_brackets(metric.unit);
    set_range(y_, ys);
    y_.log = y_.low > 0 && y_.high / y_.low >= 50;
    threads_ = most_threads;
    while (threads_ > 3 && points > most_drawn_points) {
      threads_ -= 4;
      points -= points / 5;
    }
  }

  std::vector<CurvePage> pages() {
    std::map<std::vector<std::size_t>, std::map<std::size_t, const ArmCurves*>> panels;
    std::set<std::size_t> series;
    for (const ArmCurves& arm : arms_) {
      const kernel::Cell& cell = study_.cells[static_cast<std::size_t>(arm.cell)];
      std::vector<std::size_t> key;
      for (const kernel::Factor* factor : roles_.panels)
        key.push_back(level_index(*factor, value_in(cell, factor->name)));
      const std::size_t of = roles_.series ? level_index(*roles_.series, value_in(cell, roles_.series->name)) : 0;
      panels[key][of] = &arm;
      series.insert(of);
    }
    std::vector<std::size_t> marks(series.begin(), series.end());
    marks.resize(std::min(marks.size(), most_series));
    std::vector<CurvePage> pages;
    for (const auto& [key, arms] : panels) {
      if (pages.empty() || pages.back().plot.panels.size() == most_grid) pages.push_back(page(marks));
      pages.back().plot.panels.push_back(panel(arms, marks, pages.back()));
    }
    return pages;
  }

  bool left_out() const { return roles_.series && roles_.series->levels.size() > most_series; }

 private:
  CurvePage page(const std::vector<std::size_t>& marks) const {
    CurvePage page;
    page.plot.y = y_;
    if (roles_.series)
      for (const std::size_t level : marks) page.plot.legend.push_back(roles_.series->levels[level].name);
    page.plot.note = fmt::format(
        "Thin lines: runs{}. Thick lines: mean at the steps that at least half of an arm's runs reported. Bands: its "
        "95 % interval at each step ({}), where at least {} runs reported it.",
        std::ranges::any_of(arms_, [&](const ArmCurves& arm) { return arm.curves.size() > threads_; })
            ? fmt::format(" (at most {} of an arm)", threads_)
            : "",
        is_share() ? "Wilson's scores" : "Student's t", least_for_band);
    return page;
  }

  bool is_share() const {
    return std::ranges::any_of(arms_, [](const ArmCurves& arm) {
      return std::ranges::any_of(arm.means, [](const auto& mean) { return mean.second.outcomes; });
    });
  }

  PlotPanel panel(const std::map<std::size_t, const ArmCurves*>& arms, const std::vector<std::size_t>& marks,
                  CurvePage& page) const {
    PlotPanel panel;
    panel.x = x_;
    std::vector<PlotLayer> threads, bands, lines;
    for (std::size_t mark = 0; mark < marks.size(); ++mark) {
      const auto found = arms.find(marks[mark]);
      if (found == arms.end()) continue;
      const ArmCurves& arm = *found->second;
      const kernel::Cell& cell = study_.cells[static_cast<std::size_t>(arm.cell)];
      page.arms.push_back(&arm);
      panel.title = joined_text(roles_.panels, ", ", [&](const kernel::Factor* factor) {
        return factor->name + ": " + value_in(cell, factor->name);
      });
      const std::string label = roles_.series ? value_in(cell, roles_.series->name) : std::string("all runs");
      threads.push_back(threads_of(arm, mark, threads_, study_, metric_));
      PlotLayer band{PlotShape::band, mark}, line{PlotShape::line, mark};
      for (std::size_t i = 0; i < arm.means.size(); ++i) {
        const auto& [step, mean] = arm.means[i];
        if (!mean.mean) continue;
        const bool told = i % (1 + arm.means.size() / most_told_steps) == 0 || i + 1 == arm.means.size();
        const double x = static_cast<double>(step);
        line.points.push_back({x, *mean.mean, {}, {}, told ? words(label, step, mean) : ""});
        if (mean.values.size() >= least_for_band && mean.low)
          band.points.push_back({x, *mean.mean, mean.low, mean.high});
      }
      bands.push_back(std::move(band));
      lines.push_back(std::move(line));
    }
    for (auto* layers : {&threads, &bands, &lines})
      for (PlotLayer& layer : *layers) panel.layers.push_back(std::move(layer));
    return panel;
  }

  std::string words(const std::string& label, std::int64_t step, const CellMean& mean) const {
    const auto half = prose::half_width(mean.low, mean.mean, mean.high);
    std::string text = fmt::format("{}, step {}: mean {}", label, step,
                                   prose::with_unit(prose::rounded(*mean.mean, half), metric_.unit));
    if (mean.low && mean.values.size() >= least_for_band)
      text += " " + prose::interval_text(mean.low, mean.high, half) + " at " + prose::level_text(level_of_means);
    return text + ", " + prose::counted(static_cast<long long>(mean.values.size()), "run");
  }

  const Study& study_;
  const Metric& metric_;
  const std::vector<ArmCurves>& arms_;
  CellRoles roles_;
  PlotAxis x_, y_;
  std::size_t threads_ = most_threads;
};

PlainTable curves_table(const Study& study, const std::vector<const ArmCurves*>& arms, const Metric& metric) {
  PlainTable table;
  for (const kernel::Factor& factor : study.spec.factors) table.header.push_back(factor.name);
  for (const char* column : {"metric", "unit", "step", "n", "mean", "low_95", "high_95"})
    table.header.push_back(column_beside_factors(study, column));
  for (const ArmCurves* arm : arms)
    for (const auto& [step, mean] : arm->means) {
      std::vector<std::string> row;
      for (const kernel::Factor& factor : study.spec.factors)
        row.push_back(value_in(study.cells[static_cast<std::size_t>(arm->cell)], factor.name));
      const bool band = mean.low && mean.values.size() >= least_for_band;
      row.insert(row.end(),
                 {metric.name, metric.unit, std::to_string(step), std::to_string(mean.values.size()),
                  mean.mean ? exact(*mean.mean) : "", band ? exact(*mean.low) : "", band ? exact(*mean.high) : ""});
      table.rows.push_back(std::move(row));
    }
  return table;
}

std::string curves_alt(const Study& study, const std::vector<const ArmCurves*>& arms, const Metric& metric) {
  std::string text = fmt::format("Learning curves of {}.", metric.name);
  for (const ArmCurves* arm : arms) {
    if (arm->means.empty() || text.size() > 700) continue;
    const auto& [step, mean] = arm->means.back();
    if (!mean.mean) continue;
    text += fmt::format(" {}: mean {} at step {}.", cell_text(study.cells[static_cast<std::size_t>(arm->cell)]),
                        prose::with_unit(prose::rounded(*mean.mean), metric.unit), step);
  }
  return text;
}

/// Whether every value at every step is 0 or 1.
bool are_outcomes(const Metric& metric, const std::vector<ArmCurves>& arms) {
  return metric.type == kernel::MetricType::proportion && std::ranges::all_of(arms, [](const ArmCurves& arm) {
           return std::ranges::all_of(arm.curves, [](const Curve& curve) {
             return std::ranges::all_of(curve, [](const auto& at) { return at.second == 0 || at.second == 1; });
           });
         });
}

}  // namespace

std::vector<Figure> curve_figures(const Study& study, const kernel::Experiment& experiment, const PointsOf& points_of) {
  const kernel::ExperimentId& id = experiment.registration.experiment;
  auto all = curves_of(study, experiment, points_of);
  std::vector<Figure> figures;
  std::size_t metrics = 0;
  for (const Metric& metric : study.spec.metrics) {
    const auto found = all.find(metric.name);
    if (found == all.end() || steps_of(found->second) < least_steps) continue;
    if (++metrics > most_metrics) break;
    const bool outcomes = are_outcomes(metric, found->second);
    for (ArmCurves& arm : found->second) add_means(arm, outcomes);
    CurvePages pages(study, experiment, metric, found->second);
    std::size_t part = 0;
    for (const CurvePage& page : pages.pages()) {
      if (part == 2) break;
      const std::string stem = fmt::format("curves_{}_{}", id, in_file_name(metric.name));
      Figure figure;
      figure.drawing = plot_drawing(part++ ? fmt::format("{}_{}", stem, part) : stem, page.plot);
      figure.experiment = id;
      figure.source = fmt::format("evidence/results/{}_points.csv", id);
      figure.claims = claims_of(study, id);
      figure.title = fmt::format("{} step by step in {}", metric.name, id);
      figure.caption = fmt::format(
          "{}{} at the steps that the runs reported, by arm, of runs that count and succeeded. Thin lines are runs, "
          "thick "
          "lines their mean, bands its 95 % interval at each step ({}; not simultaneous, description, not a test).{}",
          metric.name, in_brackets(metric.unit), outcomes ? "Wilson's scores" : "Student's t",
          pages.left_out() ? fmt::format(" Of the arms, {} are drawn.", most_series) : "");
      figure.alt = curves_alt(study, page.arms, metric);
      figure.type = "lines with bands";
      figure.axes = {"X = step (linear scale)",
                     fmt::format("Y = {} ({} scale)", page.plot.y.label, page.plot.y.log ? "logarithmic" : "linear")};
      figure.values = curves_table(study, page.arms, metric);
      figures.push_back(std::move(figure));
    }
  }
  return figures;
}

}  // namespace artifacts
