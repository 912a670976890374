#include "kernel/analyse.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "kernel/aa.h"
#include "kernel/derived.h"
#include "kernel/design.h"
#include "kernel/drift.h"
#include "kernel/integrity.h"
#include "kernel/judge.h"
#include "kernel/sizing.h"
#include "kernel/summaries.h"

namespace kernel {

namespace {

/// The values of one metric over the runs that `wanted` picks. Borrows the study's cells.
template <typename Wanted>
std::vector<RunValue> values_of(const Study& study, const RunValues& measured, const std::string& name, Wanted wanted) {
  std::vector<RunValue> values;
  const Metric& metric = *study.spec.metric(name);
  for (const Run& run : study.runs) {
    if (!wanted(run) || !measured.applies(run, metric)) continue;
    RunValue value;
    value.cell = &study.cells[static_cast<std::size_t>(run.cell)];
    value.seed = run.seed;
    value.failed = measured.failed(run, metric);
    value.timed_out = run.state == RunState::timed_out;
    if (const std::optional<MetricValue> one = measured.of(run, metric)) {
      value.value = one->value;
      value.censored = one->censored;
      // The worst value there is, and one that was cut off at once, have a rank and no number.
      value.failed = value.failed || one->worst || (value.censored && !std::isfinite(one->value));
    }
    values.push_back(value);
  }
  return values;
}

std::vector<RunValue> pilot_values(const Study& study, const RunValues& measured, const std::string& metric) {
  return values_of(study, measured, metric, [](const Run& run) {
    return run.purpose == Purpose::pilot && run.stage.empty() && !run.superseded && run.state != RunState::lost;
  });
}

/// Why an arm of the hypothesis was stopped; empty: none was.
std::string stopped_arm(const Study& study, const std::string& experiment, const Hypothesis& h) {
  std::set<Cell> cells;
  for (Cell& cell : cells_of(study.spec, h)) cells.insert(std::move(cell));
  for (const ArmStopped& stop : study.stopped_arms)
    if (stop.experiment == experiment &&
        std::any_of(stop.cells.begin(), stop.cells.end(), [&](const Cell& cell) { return cells.contains(cell); }))
      return stop.reason;
  return "";
}

/// What the pilot shows against the test's assumptions goes with the verdict, unless the evidence says the same.
void add_pilot_warnings(const Study& study, const RunValues& measured, const Hypothesis& h, HypothesisResult& result) {
  // "… are skewed (2.3): …" says the same with another number in the brackets.
  const auto what = [](const std::string& warning) { return warning.substr(0, warning.find(" (")); };
  std::set<std::string> said;
  for (const std::string& warning : result.warnings) said.insert(what(warning));
  for (const Test& test : estimate(study.spec, h, pilot_values(study, measured, h.metric)).tests) {
    for (const std::string& warning : shape_warnings(test.sample))
      if (said.insert(what(warning)).second) result.warnings.push_back("pilot: " + warning);
  }
}

}  // namespace

SampleSized size_sample(const Study& study) {
  SampleSized sized;
  const RunValues measured(study);
  for (const HypothesisRecord& record : study.hypotheses) {
    const std::vector<RunValue> pilot = pilot_values(study, measured, record.hypothesis.metric);
    const Size size = size_of(study.spec, record.hypothesis, study.family, pilot);
    sized.sizes.push_back(size.record);
    if (size.refused) sized.warnings.push_back(record.hypothesis.id + ": " + size.record.how);
    for (const std::string& warning : size.warnings) sized.warnings.push_back(record.hypothesis.id + ": " + warning);
  }
  return sized;
}

ExperimentAnalysed analyse(const Study& study, const Experiment& experiment) {
  const Registration& registration = experiment.registration;
  // A run that was cancelled, or lost for good, is missing for a reason that may have to do with its outcome.
  const auto counts = [&](const Run& run) {
    return run.experiment == registration.experiment && run.purpose == Purpose::registered && run.ended() &&
           !run.superseded;
  };
  const RunValues measured(study);
  std::map<std::string, std::vector<RunValue>> by_metric;
  const RunsOf runs_of = [&](const std::string& metric) -> std::span<const RunValue> {
    const auto [known, fresh] = by_metric.try_emplace(metric);
    if (fresh) known->second = values_of(study, measured, metric, counts);
    return known->second;
  };
  const std::vector<IntegrityFound> found = integrity(study, experiment);
  // What lies beyond the family is explored: estimated, never judged.
  std::vector<Hypothesis> batch, explored;
  std::vector<Estimate> estimates, exploratory;
  for (const Hypothesis& h : registration.hypotheses) {
    const bool beyond = study.hypothesis(h.id)->exploratory;
    (beyond ? explored : batch).push_back(h);
    Estimate one = estimate_whole(study.spec, h, runs_of);
    for (const IntegrityFound& finding : found)
      if (!finding.averted && is_about(h, finding.metric) && one.obstacle.empty()) one.obstacle = finding.message;
    if (std::string stopped = stopped_arm(study, registration.experiment, h); !stopped.empty())
      one.obstacle = std::move(stopped);
    (beyond ? exploratory : estimates).push_back(std::move(one));
  }
  ExperimentAnalysed analysed;
  analysed.experiment = registration.experiment;
  analysed.results = judge_batch(study.spec, batch, registration.family, estimates);
  for (std::size_t i = 0; i < explored.size(); ++i) {
    std::vector<HypothesisResult> one = judge_batch(study.spec, std::span(&explored[i], 1), registration.family,
                                                    std::span<const Estimate>(&exploratory[i], 1));
    one.front().verdict = Verdict::inconclusive;
    for (RequirementResult& required : one.front().requirements) required.verdict = Verdict::inconclusive;
    one.front().reason = "exploratory: beyond the family's slots nothing is concluded; " + one.front().reason;
    analysed.results.push_back(std::move(one.front()));
  }
  analysed.aa = aa_result(study, experiment);
  if (analysed.aa && analysed.aa->differs)
    for (HypothesisResult& result : analysed.results) result.warnings.push_back(aa_words(study.spec, *analysed.aa));
  std::map<std::string, std::string> drifts;
  for (HypothesisResult& result : analysed.results) {
    const std::string& metric = study.hypothesis(result.id)->hypothesis.metric;
    const auto [known, fresh] = drifts.try_emplace(metric);
    if (fresh) known->second = drift_warning(study, experiment, metric);
    if (!known->second.empty()) result.warnings.push_back(known->second);
    for (const IntegrityFound& finding : found)
      if (finding.averted && is_about(study.hypothesis(result.id)->hypothesis, finding.metric))
        result.warnings.push_back(finding.message);
  }
  if (study.asked_pilot)
    for (HypothesisResult& result : analysed.results)
      add_pilot_warnings(study, measured, study.hypothesis(result.id)->hypothesis, result);
  return analysed;
}

}  // namespace kernel
