#include <algorithm>
#include <cmath>
#include <cstdint>

#include "artifacts/figures/figures.h"
#include "kernel/evidence/derived_metrics.h"
#include "prose/numbers.h"
#include "stats/basics/contrast.h"
#include "stats/basics/descriptive.h"
#include "stats/effects/proportions.h"

namespace artifacts {
void describe(CellMean& cell) {
  if (cell.values.empty() && cell.skipped == 0) {
    cell.missing = cell.failed ? "no run succeeded" : "no run";
    return;
  }
  if (cell.skipped) {
    cell.missing = prose::counted(cell.skipped, "value") + " censored or not a number";
    return;
  }
  cell.mean = stats::mean(cell.values);
  if (const auto moments = stats::moments(cell.values)) {
    const double n = static_cast<double>(moments->n);
    cell.sd = std::sqrt(moments->variance);
    const stats::Interval interval =
        stats::interval(stats::Contrast{moments->mean, std::sqrt(moments->variance / n), n - 1}, level_of_means);
    cell.low = interval.low;
    cell.high = interval.high;
  }
  if (cell.outcomes) {
    const auto successes = std::ranges::count(cell.values, 1.0);
    const stats::Interval interval =
        stats::share_interval({successes, static_cast<std::int64_t>(cell.values.size())}, level_of_means);
    cell.low = interval.low;
    cell.high = interval.high;
  }
  if (!cell.mean) cell.missing = "values beyond the range of numbers";
}

std::vector<CellMean> cell_means(const kernel::Study& study, const kernel::Experiment& experiment,
                                 const kernel::Metric& metric, FigureStyle style) {
  std::vector<CellMean> means;
  std::map<int, std::size_t> place;
  for (const kernel::Cell& cell : experiment.registration.cells) {
    const auto number = study.cell_numbers.find(cell);
    if (number == study.cell_numbers.end()) continue;
    place[number->second] = means.size();
    means.push_back({});
    means.back().cell = number->second;
  }
  const kernel::RunValues measured(study.spec, study);
  for (const kernel::Run& run : study.runs) {
    if (run.experiment != experiment.registration.experiment || !run.evidence()) continue;
    const auto at = place.find(run.cell);
    if (at == place.end() || !measured.applies(run, metric)) continue;
    CellMean& cell = means[at->second];
    if (measured.failed(run, metric)) {
      ++cell.failed;
      continue;
    }
    const auto value = measured.of(run, metric);
    if (!value) continue;
    const bool usable = !value->censored && !value->worst && std::isfinite(value->value);
    if (!usable) {
      ++cell.skipped;
      continue;
    }
    cell.values.push_back(value->value);
    cell.runs.push_back(run.number);
  }
  // As the test of shares: one value within (0, 1) makes all of them measurements.
  const bool outcomes = style == FigureStyle::newest && metric.type == kernel::MetricType::proportion &&
                        std::ranges::all_of(means, [](const CellMean& cell) {
                          return std::ranges::all_of(cell.values, [](double x) { return x == 0 || x == 1; });
                        });
  for (CellMean& cell : means) {
    cell.outcomes = outcomes;
    describe(cell);
  }
  return means;
}

}  // namespace artifacts
