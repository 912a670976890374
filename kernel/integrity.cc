#include "kernel/integrity.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernel {

namespace {

bool same(const MetricValue& a, const MetricValue& b) {
  const bool equal = a.value == b.value || (std::isnan(a.value) && std::isnan(b.value));
  return equal && a.censored == b.censored && a.worst == b.worst;
}

bool ran_the_design(const Run& run, const std::string& experiment) {
  if (run.superseded || !run.stage.empty() || run.state != RunState::succeeded) return false;
  return run.purpose == Purpose::smoke || run.purpose == Purpose::pilot || run.experiment == experiment;
}

std::optional<IntegrityFound> deviation(const Study& study, const std::string& experiment, const std::string& metric) {
  struct First {
    int run = 0;
    const MetricValue* value = nullptr;
  };
  std::map<int, First> cells;
  for (const Run& run : study.runs) {
    const auto value = run.measurement.values.find(metric);
    if (value == run.measurement.values.end() || !ran_the_design(run, experiment)) continue;
    const auto [first, fresh] = cells.try_emplace(run.cell, First{run.number, &value->second});
    if (fresh || same(*first->second.value, value->second)) continue;
    const int other = first->second.run;
    return IntegrityFound{
        experiment,
        metric,
        fmt::format("{} is declared deterministic but varied: {} in {}, {} in {}, of the same cell", metric,
                    first->second.value->value, study.run_id(other), value->second.value, study.run_id(run.number)),
        {other, run.number}};
  }
  return std::nullopt;
}

}  // namespace

std::vector<IntegrityFound> integrity(const Study& study, const Experiment& experiment) {
  std::vector<IntegrityFound> found;
  for (const Metric& metric : experiment.registration.metrics)
    if (metric.deterministic)
      if (auto one = deviation(study, experiment.registration.experiment, metric.name))
        found.push_back(std::move(*one));
  return found;
}

}  // namespace kernel
