#include "kernel/verdicts/repeated_smoke.h"

#include <algorithm>
#include <cmath>

#include "kernel/domain/cells.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/verdicts/cautions.h"

namespace kernel {

namespace {

/// A metric that smoke runs report and that must be the same in a repeat.
bool comparable(const StudySpec& spec, const Metric& metric) {
  if (metric.derived || is_timing(spec, metric)) return false;
  return !spec.from_evaluator(metric.name) || tier_of(spec, Purpose::smoke) != Tier::none;
}

const MetricValue* reported_value(const Run& run, const std::string& metric) {
  const auto found = run.measurement.values.find(metric);
  return found == run.measurement.values.end() ? nullptr : &found->second;
}

/// The repeats of an experiment and the smoke run that they repeat; null pointers if one is missing or failed.
struct Repeats {
  const Run* smoke = nullptr;
  const Run* first = nullptr;
  const Run* second = nullptr;
  bool complete() const { return smoke && first && second; }
};

Repeats repeats_of(const RunBoard& board, const ExperimentId& experiment) {
  Repeats repeats;
  for (const Run& run : board.runs) {
    if (run.purpose != Purpose::repeat || run.experiment != experiment || run.state != RunState::succeeded) continue;
    (repeats.first ? repeats.second : repeats.first) = &run;
  }
  if (!repeats.first) return repeats;
  for (const Run& run : board.runs)
    if (run.purpose == Purpose::smoke && run.state == RunState::succeeded && run.cell == repeats.first->cell &&
        run.seed == repeats.first->seed)
      repeats.smoke = &run;
  return repeats;
}

/// The probability that two runs have one value although nothing fixes it, from the registered runs of each cell.
double chance_of_agreement(const RunBoard& board, const ExperimentId& experiment, const std::string& metric) {
  std::map<int, std::vector<const MetricValue*>> cells;
  for (const Run& run : board.runs)
    if (run.experiment == experiment && run.evidence() && run.state == RunState::succeeded)
      if (const MetricValue* value = reported_value(run, metric)) cells[run.cell].push_back(value);
  double pairs = 0, equal = 0, runs = 0;
  for (const auto& [cell, values] : cells) {
    runs += static_cast<double>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        ++pairs;
        equal += are_same(*values[i], *values[j]) ? 1 : 0;
      }
  }
  // If it never varied, another value has at most about this probability.
  if (equal == pairs) return 1 / (runs + 1);
  return equal / pairs;
}

}  // namespace

bool are_same(const MetricValue& a, const MetricValue& b) {
  const bool equal = a.value == b.value || (std::isnan(a.value) && std::isnan(b.value));
  return equal && a.censored == b.censored && a.worst == b.worst;
}

bool repeats_smoke(const StudySpec& spec) {
  const Design& design = spec.design;
  return design.reading && design.smoke && spec.kind == StudyKind::test && spec.seeds != SeedRule::derived &&
         spec.stages.empty() && design.pinned.empty() &&
         std::ranges::any_of(spec.metrics, [&](const Metric& metric) { return comparable(spec, metric); });
}

std::vector<const Run*> repeatable_smoke_runs(const Study& study) {
  std::vector<const Run*> list;
  if (!repeats_smoke(study.spec) || !study.check || study.check->skipped) return list;
  std::optional<int> reference;  // The cell of the reference run, which is planned first.
  for (const Run& planned : study.runs) {
    if (planned.purpose != Purpose::smoke || planned.number <= study.batch.amended_at || planned.retry_of) continue;
    if (!reference) reference = planned.cell;
    if (planned.label == seed_label && planned.cell == *reference) continue;
    const Run& run = study.latest(planned);
    const auto measured = [&](const Metric& metric) {
      return comparable(study.spec, metric) && reported_value(run, metric.name);
    };
    if (run.state == RunState::succeeded && run.cached_from.empty() &&
        std::ranges::any_of(study.spec.metrics, measured))
      list.push_back(&run);
  }
  return list;
}

std::vector<IntegrityFound> repeat_findings(const Study& study, const Experiment& experiment) {
  std::vector<IntegrityFound> found;
  const ExperimentId& id = experiment.registration.experiment;
  const Repeats runs = repeats_of(study, id);
  if (!runs.complete()) return found;
  constexpr double rare = 0.05;
  bool repeats_itself = false;
  for (const Metric& metric : experiment.registration.metrics) {
    const MetricValue* smoke = reported_value(*runs.smoke, metric.name);
    const MetricValue* first = reported_value(*runs.first, metric.name);
    const MetricValue* second = reported_value(*runs.second, metric.name);
    if (!comparable(study.spec, metric) || !smoke || !first || !second || !are_same(*first, *second)) continue;
    repeats_itself = repeats_itself || metric.deterministic || chance_of_agreement(study, id, metric.name) <= rare;
    if (are_same(*smoke, *first)) continue;
    found.push_back({id,
                     metric.name,
                     {ReasonCode::behaves_otherwise,
                      {{"metric", metric.name},
                       {"smoke", smoke->value},
                       {"run", runs.smoke->number},
                       {"registered", first->value},
                       {"first", runs.first->number},
                       {"second", runs.second->number}}},
                     {runs.smoke->number, runs.first->number, runs.second->number}});
  }
  const WorkspaceRecord& code = study.workspace_of(study.cells[static_cast<std::size_t>(runs.smoke->cell)]);
  const bool by_agent = !code.by.empty();
  if (!repeats_itself && !by_agent) return {};
  std::string lines;
  for (const CodeLine& line : code.reads)
    if (line.reads == CodeRead::clock || line.reads == CodeRead::token)
      lines += (lines.empty() ? "" : "; ") + line.place;
  for (IntegrityFound& one : found) {
    one.averted = !by_agent || !repeats_itself;
    if (!lines.empty())
      one.message.values["lines"] = std::vector{Reason{ReasonCode::lines_to_read, {{"lines", lines}}}};
  }
  return found;
}

}  // namespace kernel
