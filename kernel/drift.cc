#include "kernel/drift.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "stats/drift.h"

namespace kernel {

namespace {

constexpr double level = 0.01;
constexpr std::size_t fewest = 8;

struct Placed {
  std::int64_t started_ms = 0;
  int number = 0, cell = 0;
  double value = 0;
};

std::vector<double> residuals_in_order(const Study& study, const Experiment& experiment, const std::string& metric) {
  std::vector<Placed> values;
  std::map<int, std::pair<double, double>> cells;  // Sum and number.
  for (const Run& run : study.runs) {
    if (run.experiment != experiment.registration.experiment || !run.evidence() || run.state != RunState::succeeded)
      continue;
    const auto found = run.measurement.values.find(metric);
    if (found == run.measurement.values.end() || found->second.censored || found->second.worst) continue;
    if (!std::isfinite(found->second.value) || !run.cached_from.empty()) continue;
    values.push_back({run.started_ms, run.number, run.cell, found->second.value});
    cells[run.cell].first += found->second.value;
    cells[run.cell].second += 1;
  }
  std::sort(values.begin(), values.end(), [](const Placed& a, const Placed& b) {
    return std::tie(a.started_ms, a.number) < std::tie(b.started_ms, b.number);
  });
  // Cells differ in spread, too: each residual is taken in units of its cell's.
  std::map<int, double> squares;
  for (const Placed& v : values) {
    const double off = v.value - cells[v.cell].first / cells[v.cell].second;
    squares[v.cell] += off * off;
  }
  std::vector<double> residuals;
  for (const Placed& v : values) {
    const auto& [sum, count] = cells[v.cell];
    if (count < 2 || !(squares[v.cell] > 0)) continue;
    residuals.push_back((v.value - sum / count) / std::sqrt(squares[v.cell] / (count - 1)));
  }
  return residuals;
}

}  // namespace

std::string drift_warning(const Study& study, const Experiment& experiment, const std::string& metric) {
  const Metric* about = study.spec.metric(metric);
  if (about && about->deterministic) return "";
  const std::vector<double> residuals = residuals_in_order(study, experiment, metric);
  if (residuals.size() < fewest) return "";
  // Two tests, each at half the level; of the runs test only the side that drift shows on.
  const auto trend = stats::order_correlation(residuals);
  const auto runs = stats::runs_test(residuals);
  const double of_trend = trend ? std::min(1.0, 2 * std::min(trend->p.less, trend->p.greater)) : 1;
  const double of_runs = runs ? runs->p.less : 1;
  if (std::min(of_trend, of_runs) > level / 2) return "";
  const std::string how = of_trend <= of_runs ? fmt::format("they {} with it, Kendall's tau {:.2g}, p {:.2g}",
                                                            trend->tau > 0 ? "rise" : "fall", trend->tau, of_trend)
                                              : fmt::format("{} runs about the median of {} values, p {:.2g}",
                                                            runs->runs, residuals.size(), of_runs);
  return fmt::format(
      "values of {} follow the order in which the runs ran ({}): something beside the factors changed meanwhile",
      metric, how);
}

}  // namespace kernel
