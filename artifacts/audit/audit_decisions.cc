#include <cmath>

#include <fmt/format.h>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/audit/audit_same.h"
#include "artifacts/audit/audit_values.h"
#include "artifacts/read/sound_study.h"
#include "artifacts/text/untrusted_text.h"
#include "kernel/codec/json_types.h"
#include "kernel/decide/preconditions.h"
#include "kernel/design/design.h"
#include "kernel/design/due_runs.h"
#include "kernel/design/manipulation_check.h"
#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"
#include "kernel/runs/run_outcome.h"
#include "kernel/verdicts/analyse_experiment.h"
#include "kernel/verdicts/integrity.h"
#include "kernel/wording/wording.h"

namespace artifacts {

using kernel::Purpose;
using kernel::Run;
using kernel::Study;
using nlohmann::json;

namespace {

const kernel::Experiment* registered_as(const Study& study, const std::string& id) {
  for (const kernel::Experiment& e : study.experiments)
    if (e.registration.experiment == id) return &e;
  return nullptr;
}

/// Why the run's own values deny that it succeeded; empty: they do not.
std::string why_not_succeeded(const kernel::StudySpec& spec, const Run& run, const kernel::RunEnded& event) {
  const std::map<std::string, kernel::MetricValue>& values = event.measurement.values;
  const auto unscored = [&](const std::string& metric) {
    return run.tier == kernel::Tier::none && spec.from_evaluator(metric);
  };
  if (run.tier != kernel::Tier::none && !(event.outcome.evaluator && event.outcome.evaluator->succeeded()))
    return "no evaluator has scored it";
  for (const kernel::Metric& metric : spec.metrics)
    if (const std::string& reported = spec.reported(metric).name;
        metric.primary && !values.contains(reported) && !unscored(reported))
      return fmt::format("it has no value of the primary metric {}", quote(reported));
  for (const kernel::Guard& guard : spec.guards) {
    if (unscored(guard.metric)) continue;
    const auto at = values.find(guard.metric);
    const double value = at == values.end() ? std::nan("") : at->second.value;
    if (!std::isfinite(value) || (guard.at_most && value > *guard.at_most) ||
        (guard.at_least && value < *guard.at_least))
      return fmt::format("it fails the guard on {}", quote(guard.metric));
  }
  return "";
}

kernel::ReportEnd reported(const kernel::RunEnded& event) {
  kernel::ReportEnd report;
  report.run = event.run;
  report.outcome = event.outcome;
  report.measurement = event.measurement;
  report.fingerprint = event.fingerprint;
  return report;
}

}  // namespace

void DecisionAudit::decision(int line, const std::string& what) {
  findings_.add_as(severity_, RuleId::decision_mismatch, log_file, line, what);
}

void DecisionAudit::see(const Study* before, const kernel::Event& event, int line) {
  if (!before) return;
  const Study& study = *before;
  if (can_be_computed(study))
    if (const auto why = kernel::cannot_follow(study, event.body, event.actor)) decision(line, *why);
  if (const auto* e = std::get_if<kernel::RunEnded>(&event.body)) return ended(study, *e, line);
  if (const auto* e = std::get_if<kernel::StudyConcluded>(&event.body)) {
    const bool any = std::ranges::any_of(
        study.runs, [](const Run& run) { return run.evidence() && run.state == kernel::RunState::succeeded; });
    if (e->outcome == kernel::StudyOutcome::concluded && !any && !claims_nothing(study))
      decision(line, "the study is said to have concluded, and no registered run succeeded");
    return;
  }
  if (searched(study, event, line)) return;
  const auto* queues = std::get_if<kernel::RunsQueued>(&event.body);
  const auto* checked = std::get_if<kernel::ManipulationChecked>(&event.body);
  const auto* sized = std::get_if<kernel::SampleSized>(&event.body);
  const auto* registers = std::get_if<kernel::ExperimentRegistered>(&event.body);
  const auto* results = std::get_if<kernel::ExperimentAnalysed>(&event.body);
  const auto* look = std::get_if<kernel::InterimLook>(&event.body);
  if (!queues && !checked && !sized && !registers && !results && !look) return;
  if (!can_be_computed(study) || (registers && !can_be_computed(study, registers->registration)))
    return decision(line, "the study names levels or metrics that it does not have, or more cells than can be run");
  if (queues) queued(study, *queues, line);
  if (checked && !checked->skipped)
    same(
        *checked, [&] { return kernel::judge_manipulation(study); }, "the manipulation check", line);
  if (checked && checked->skipped && study.spec.design.smoke)
    decision(line, "the manipulation check is said to be skipped, and the design asks for it");
  if (sized)
    same(
        *sized, [&] { return kernel::size_sample(study); }, "the sample's size", line);
  if (results) analysed(study, *results, line);
  if (look) looked(study, *look, line);
  if (!registers) return;
  std::vector<std::string> ids;
  for (const kernel::Hypothesis& h : registers->registration.hypotheses) ids.push_back(h.id);
  same(
      registers->registration, [&] { return kernel::registration_of(study, ids); }, "the registration", line);
}

void DecisionAudit::queued(const Study& study, const kernel::RunsQueued& event, int line) {
  const bool retries = std::ranges::any_of(event.runs, [](const auto& r) { return r.retry_of > 0; });
  if (retries) return;
  if (event.purpose == Purpose::smoke)
    same(
        event, [&] { return kernel::smoke_runs(study); }, "the smoke runs", line);
  if (event.purpose == Purpose::pilot)
    same(
        event, [&] { return kernel::pilot_runs(study); }, "the pilot", line);
  const auto warms_up = [](const auto& run) { return run.label == kernel::warmup_label; };
  if (event.purpose == Purpose::scratch && !study.experiments.empty() && std::ranges::any_of(event.runs, warms_up))
    same(
        event, [&] { return kernel::warmup_runs(study, study.experiments.back().registration); }, "the warm-ups", line);
  if (event.purpose != Purpose::registered) return;
  const kernel::Experiment* experiment = registered_as(study, event.experiment);
  if (!experiment || !can_be_computed(study, experiment->registration)) return;
  same(
      event, [&] { return kernel::due_runs(study, *experiment); }, "the plan of the runs", line);
}

/// A run's state follows from the end of its job and from what was measured.
void DecisionAudit::ended(const Study& study, const kernel::RunEnded& event, int line) {
  const Run* run = study.run(event.run);
  if (run && run->stage.empty() && !study.order_of(*run) && event.state == kernel::RunState::succeeded)
    if (const std::string why = why_not_succeeded(study.spec, *run, event); !why.empty())
      decision(line, fmt::format("run {} is said to have succeeded, and {}", event.run, why));
  if (!run || !study.live.contains(event.run) || !event.cached_from.empty()) return;
  const std::vector<kernel::EventBody> bodies = kernel::judge_run(study, *run, reported(event));
  const auto* judged = bodies.empty() ? nullptr : std::get_if<kernel::RunEnded>(&bodies.front());
  if (!judged)
    decision(line, fmt::format("run {} is said to have ended {}, and its job never started", event.run,
                               kernel::name(event.state)));
  else if (judged->state != event.state)
    decision(line, fmt::format("run {} is said to have ended {}, and its outcome says {}", event.run,
                               kernel::name(event.state), kernel::name(judged->state)));
}

void DecisionAudit::analysed(const Study& study, const kernel::ExperimentAnalysed& event, int line) {
  const kernel::Experiment* experiment = registered_as(study, event.experiment);
  if (!experiment || !can_be_computed(study, experiment->registration)) return;
  try {
    const kernel::ExperimentAnalysed again = kernel::analyse(study, *experiment);
    const auto score = [&](const std::string& what) {
      findings_.add_as(severity_, RuleId::score_mismatch, log_file, line, what);
    };
    for (std::size_t i = 0; i < std::max(event.results.size(), again.results.size()); ++i) {
      if (i >= event.results.size() || i >= again.results.size()) {
        score(fmt::format("{} has {} results, and its hypotheses are {}", quote(event.experiment), event.results.size(),
                          again.results.size()));
        break;
      }
      if (const auto difference = first_value_difference(json(event.results[i]), json(again.results[i])))
        score(fmt::format("{}{} is {}, and the recorded runs give {}", quote(again.results[i].id), difference->where,
                          difference->found, difference->computed));
    }
    for (const kernel::IntegrityFound& found : kernel::integrity(study, *experiment))
      if (std::ranges::none_of(study.integrity, [&](const kernel::IntegrityFound& told) {
            return told.experiment == found.experiment && told.metric == found.metric;
          }))
        decision(line, fmt::format("nothing was recorded of this: {}", sentence(found.message)));
  } catch (const std::exception& error) {
    decision(line, fmt::format("the analysis of {} cannot be computed: {}", quote(event.experiment), error.what()));
  }
}

void DecisionAudit::looked(const Study& study, const kernel::InterimLook& event, int line) {
  const kernel::Experiment* experiment = registered_as(study, event.experiment);
  if (!experiment || !can_be_computed(study, experiment->registration)) return;
  if (kernel::next_step_of(*experiment) != kernel::AnalysisStep::look) return;  // Reported as out of turn.
  same(
      event, [&] { return kernel::interim_look(study, *experiment); }, "the look", line);
}

}  // namespace artifacts
