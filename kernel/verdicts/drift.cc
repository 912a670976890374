#include "kernel/verdicts/drift.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "stats/basics/descriptive.h"
#include "stats/diagnostics/sample_checks.h"

namespace kernel {

namespace {

constexpr double drift_level = 0.01;
constexpr std::size_t fewest = 8;

struct Value {
  double started_ms = 0, number = 0;
  std::uint64_t unit = 0;  ///< The seed where cells share seeds, else the run.
  int cell = 0;
  double value = 0;
};

std::vector<Value> values_of_runs(const Study& study, const Experiment& experiment, const std::string& metric) {
  const bool by_seed = study.spec.design.pairing == Pairing::seed;
  std::vector<Value> values;
  for (const Run& run : study.runs) {
    if (run.experiment != experiment.registration.experiment || !run.evidence() || run.state != RunState::succeeded)
      continue;
    const auto found = run.measurement.values.find(metric);
    if (found == run.measurement.values.end() || found->second.censored || found->second.worst) continue;
    if (!std::isfinite(found->second.value) || !run.cached_from.empty()) continue;
    const std::uint64_t unit = by_seed ? run.seed : static_cast<std::uint64_t>(run.number);
    values.push_back(
        {static_cast<double>(run.started_ms), static_cast<double>(run.number), unit, run.cell, found->second.value});
  }
  return values;
}

/// Of each unit the mean residual, in units of its cells' standard deviations, in the order of their mean starts.
std::vector<double> residuals_in_order(const std::vector<Value>& values) {
  std::map<int, std::vector<double>> cells;
  for (const Value& v : values) cells[v.cell].push_back(v.value);
  std::map<int, stats::Moments> moments;
  for (const auto& [cell, list] : cells)
    if (const auto m = stats::moments(list); m && m->n >= 2 && m->variance > 0) moments[cell] = *m;
  struct Sum {
    double started_ms = 0, number = 0, residual = 0, count = 0;
  };
  std::map<std::uint64_t, Sum> units;
  for (const Value& v : values) {
    const auto of = moments.find(v.cell);
    if (of == moments.end()) continue;
    Sum& unit = units[v.unit];
    unit.started_ms += v.started_ms;
    unit.number += v.number;
    unit.residual += (v.value - of->second.mean) / std::sqrt(of->second.variance);
    ++unit.count;
  }
  std::vector<Sum> placed;
  for (const auto& [unit, sum] : units)
    placed.push_back({sum.started_ms / sum.count, sum.number / sum.count, sum.residual / sum.count, 1});
  std::sort(placed.begin(), placed.end(), [](const Sum& a, const Sum& b) {
    return std::tie(a.started_ms, a.number) < std::tie(b.started_ms, b.number);
  });
  std::vector<double> residuals;
  for (const Sum& at : placed) residuals.push_back(at.residual);
  return residuals;
}

}  // namespace

Reason drift_warning(const Study& study, const Experiment& experiment, const std::string& metric) {
  const Metric* about = study.spec.metric(metric);
  if (about && about->deterministic) return {};
  const std::vector<double> residuals = residuals_in_order(values_of_runs(study, experiment, metric));
  if (residuals.size() < fewest) return {};
  // Two tests, each at half the drift_level; of the runs test only the side that drift shows on.
  const auto trend = stats::order_correlation(residuals);
  const auto runs = stats::runs_test(residuals);
  const double of_trend = trend ? std::min(1.0, 2 * std::min(trend->p.less, trend->p.greater)) : 1;
  const double of_runs = runs ? runs->p.less : 1;
  if (std::min(of_trend, of_runs) > drift_level / 2) return {};
  if (of_trend <= of_runs)
    return {trend->tau > 0 ? ReasonCode::values_rise : ReasonCode::values_fall,
            {{"metric", metric}, {"tau", trend->tau}, {"p", of_trend}}};
  return {ReasonCode::values_in_runs,
          {{"metric", metric},
           {"runs", static_cast<std::int64_t>(runs->runs)},
           {"values", static_cast<std::int64_t>(residuals.size())},
           {"p", of_runs}}};
}

}  // namespace kernel
