#include <algorithm>

#include "kernel/verdicts/analyse_experiment.h"
#include "kernel/verdicts/repeated_smoke.h"
#include "kernel/verdicts/work_findings.h"

namespace kernel {

namespace {

bool ran_the_design(const Run& run, const ExperimentId& experiment) {
  if (run.superseded || !run.stage.empty() || run.state != RunState::succeeded) return false;
  return run.purpose == Purpose::smoke || run.purpose == Purpose::pilot || run.experiment == experiment;
}

std::optional<IntegrityFound> deviation(const RunBoard& study, const ExperimentId& experiment,
                                        const std::string& metric) {
  struct First {
    int run = 0;
    const MetricValue* value = nullptr;
  };
  std::map<int, First> cells;
  for (const Run& run : study.runs) {
    const auto value = run.measurement.values.find(metric);
    if (value == run.measurement.values.end() || !ran_the_design(run, experiment)) continue;
    const auto [first, fresh] = cells.try_emplace(run.cell, First{run.number, &value->second});
    if (fresh || are_same(*first->second.value, value->second)) continue;
    const int other = first->second.run;
    return IntegrityFound{experiment,
                          metric,
                          {ReasonCode::not_deterministic,
                           {{"metric", metric},
                            {"first", first->second.value->value},
                            {"first_run", other},
                            {"later", value->second.value},
                            {"later_run", run.number}}},
                          {other, run.number}};
  }
  return std::nullopt;
}

/// Runs whose job wrote a metric that only the evaluator may write.
std::optional<IntegrityFound> meddling(const RunBoard& study, const ExperimentId& experiment,
                                       const std::string& metric) {
  IntegrityFound found{experiment, metric, {}, {}, true};
  for (const Run& run : study.runs) {
    const std::vector<std::string>& ignored = run.measurement.ignored;
    if (run.experiment != experiment && run.purpose == Purpose::registered) continue;
    if (std::ranges::find(ignored, metric) != ignored.end()) found.runs.push_back(run.number);
  }
  if (found.runs.empty()) return std::nullopt;
  found.message = {ReasonCode::jobs_wrote_scores,
                   {{"metric", metric},
                    {"runs", static_cast<std::int64_t>(found.runs.size())},
                    {"all", static_cast<std::int64_t>(study.runs.size())},
                    {"first", found.runs.front()}}};
  return found;
}

}  // namespace

std::vector<IntegrityFound> integrity(const Study& study, const Experiment& experiment) {
  std::vector<IntegrityFound> found = work_findings(study, experiment);
  for (IntegrityFound& one : repeat_findings(study, experiment)) found.push_back(std::move(one));
  const ExperimentId& id = experiment.registration.experiment;
  for (const Metric& metric : experiment.registration.metrics) {
    if (metric.deterministic)
      if (auto one = deviation(study, id, metric.name)) found.push_back(std::move(*one));
    if (std::holds_alternative<FromEvaluator>(metric.source))
      if (auto one = meddling(study, id, metric.name)) found.push_back(std::move(*one));
  }
  return found;
}

}  // namespace kernel
