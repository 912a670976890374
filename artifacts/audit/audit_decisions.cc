#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/read/record.h"
#include "artifacts/text/untrusted_text.h"
#include "base/digest.h"
#include "kernel/codec/codec.h"
#include "kernel/codec/json_types.h"
#include "kernel/decide/preconditions.h"
#include "kernel/design/code_comparison.h"
#include "kernel/design/design.h"
#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"
#include "kernel/runs/run_outcome.h"
#include "kernel/search/code_search.h"
#include "kernel/search/keep_or_discard.h"
#include "kernel/search/model_search.h"
#include "kernel/search/search.h"
#include "kernel/verdicts/analyse_experiment.h"
#include "kernel/verdicts/verdict_reason.h"
#include "kernel/wording/wording.h"

namespace artifacts {

using kernel::Purpose;
using kernel::Run;
using kernel::Study;
using nlohmann::json;

namespace {

bool retries(const kernel::RunsQueued& event) {
  return std::ranges::any_of(event.runs, [](const kernel::PlannedRun& run) { return run.retry_of > 0; });
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
  kernel::ReportEnd report{event};
  if (event.reason.code == kernel::ReasonCode::ended_saying)
    if (const auto said = event.reason.values.find("said"); said != event.reason.values.end())
      if (const auto* text = std::get_if<std::string>(&said->second)) report.said = *text;
  return report;
}

constexpr std::size_t shown_of_value = 80;

/// JSON with sentences in place of codes, because people read it.
std::string written(json value) {
  kernel::put_in_words(value, kernel::wording_version);
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string shown_value(const json& value) {
  return shortened(written(value), shown_of_value);
}

bool same_scalar(const json& a, const json& b) {
  if (!a.is_number() || !b.is_number()) return a == b;
  if (a.is_number_integer() && b.is_number_integer()) return a == b;
  const double x = a.get<double>(), y = b.get<double>();
  return x == y || std::abs(x - y) <= same_number * std::max(std::abs(x), std::abs(y));
}

/// As earlier programs gave the reasons, which did not name equal and tied values.
void leave_ties_out(kernel::HypothesisResult& result) {
  result.reason = kernel::before_ties(result.reason);
  for (kernel::RequirementResult& required : result.requirements)
    required.reason = kernel::before_ties(required.reason);
}

/// Leaves them out of each computed result whose recorded one does not name them, either.
void name_ties_as(const std::vector<kernel::HypothesisResult>& recorded,
                  std::vector<kernel::HypothesisResult>& computed) {
  for (std::size_t i = 0; i < std::min(recorded.size(), computed.size()); ++i) {
    kernel::HypothesisResult before = recorded[i];
    leave_ties_out(before);
    if (json(before) == json(recorded[i])) leave_ties_out(computed[i]);
  }
}

}  // namespace

void DecisionAudit::decision(int line, const std::string& what) {
  findings_.add_as(severity_, RuleId::decision_mismatch, log_file, line, what);
}

template <typename Recorded, typename Compute>
void DecisionAudit::same(const Recorded& recorded, const std::string& what, int line, Compute compute) {
  try {
    if (const auto difference = first_value_difference(json(recorded), json(compute())))
      decision(line, fmt::format("{}{} is {}, and the events before it give {}", what, difference->where,
                                 difference->found, difference->computed));
  } catch (const std::exception& error) {
    decision(line, fmt::format("{} cannot be computed: {}", what, error.what()));
  }
}

/// Repeats the decision of one event. `events.def` says of each event whether it is repeated here.
struct DecisionAudit::Repetition {
  DecisionAudit& audit;
  const Study& study;
  const kernel::Event& event;
  int line;

  bool computable(bool can) const {
    if (!can)
      audit.decision(line, "the study names levels or metrics that it does not have, or more cells than can be run");
    return can;
  }
  bool searchable() const {
    if (can_be_computed(study)) return true;
    audit.decision(line, "the search names levels that it does not have, or more cells than can be run");
    return false;
  }
  /// If the plan of the search differs from the computed one, what follows from it cannot be judged.
  bool in_search() const {
    if (!searchable()) return false;
    if (!study.search) audit.decision(line, "what is to be confirmed was proposed, or run, before there was a search");
    return study.search && audit.search_is_sound_;
  }
  bool in_code_search() const {
    if (!in_search()) return false;
    if (!study.spec.code) audit.decision(line, "versions of the code are told of, and the study searches for none");
    return study.spec.code.has_value();
  }

  void operator()(const kernel::RunEnded& e) const { audit.ended(study, e, line); }
  void operator()(const kernel::StudyConcluded& e) const {
    const bool any = std::ranges::any_of(
        study.runs, [](const Run& run) { return run.evidence() && run.state == kernel::RunState::succeeded; });
    if (e.outcome == kernel::StudyOutcome::concluded && !any && !claims_nothing(study) &&
        !kernel::keeps_original(study))
      audit.decision(line, "the study is said to have concluded, and no registered run succeeded");
  }
  void operator()(const kernel::RunsQueued& e) const {
    if (e.purpose == Purpose::search) {
      if (in_search()) audit.search_queued(study, e, line);
    } else if (computable(can_be_computed(study))) {
      audit.queued(study, e, line);
    }
  }
  void operator()(const kernel::HypothesisProposed& e) const {
    if (study.spec.kind != kernel::StudyKind::test && in_search() && !kernel::is_selected(study, e.hypothesis))
      audit.decision(line, fmt::format("hypothesis {} is none of those that the search carries forward",
                                       e.hypothesis.id.text().substr(0, 40)));
  }
  void operator()(const kernel::SearchRegistered& e) const {
    if (searchable()) audit.search_registered(study, e, line);
  }
  void operator()(const kernel::RungRanked& e) const {
    if (in_search()) audit.ranked(study, e, line);
  }
  void operator()(const kernel::CodePlanned& e) const {
    if (!in_code_search()) return;
    if (e.steps.empty() != !e.over.empty()) return audit.decision(line, "a round asks for nothing, and does not end");
    // A round that ended early may have run out of time, which cannot be checked.
    if (!e.steps.empty())
      audit.same(e.steps, "what engineers are asked for", line, [&] { return kernel::next_steps(study); });
  }
  void operator()(const kernel::CodeProposed& e) const {
    if (!in_code_search()) return;
    const kernel::CodeStep* step = study.code.step(e.version.step);
    if (!step || step->op != e.version.op || step->parents != e.version.parents || study.code.version(e.version.id))
      audit.decision(line, fmt::format("version {} of the code is of no open step", e.version.id.substr(0, 40)));
  }
  void operator()(const kernel::ManipulationChecked& e) const {
    if (!computable(can_be_computed(study))) return;
    if (!e.skipped)
      audit.same(e, "the manipulation check", line, [&] {
        kernel::ManipulationChecked now = kernel::judge_manipulation(study);
        return json(now) == json(e) ? now : kernel::judge_manipulation(study, false);
      });
    else if (study.spec.design.smoke)
      audit.decision(line, "the manipulation check is said to be skipped, and the design asks for it");
  }
  void operator()(const kernel::CodeCompared& e) const {
    if (computable(can_be_computed(study)) && study.comparison_due())
      audit.same(e, "the comparison of the code", line, [&] { return kernel::judge_comparison(study); });
  }
  void operator()(const kernel::SampleSized& e) const {
    if (computable(can_be_computed(study)))
      audit.same(e, "the sample's size", line, [&] { return kernel::size_sample(study); });
  }
  void operator()(const kernel::ExperimentRegistered& e) const {
    if (!computable(can_be_computed(study) && can_be_computed(study, e.registration))) return;
    std::vector<kernel::HypothesisId> ids;
    for (const kernel::Hypothesis& h : e.registration.hypotheses) ids.push_back(h.id);
    audit.same(e.registration, "the registration", line,
               [&] { return kernel::registration_of(study, ids, e.registration.draw); });
  }
  void operator()(const kernel::ExperimentAnalysed& e) const {
    if (computable(can_be_computed(study))) audit.analysed(study, e, line);
  }
  void operator()(const kernel::InterimLook& e) const {
    if (computable(can_be_computed(study))) audit.looked(study, e, line);
  }

#define ETUDE_given(Type) \
  void operator()(const kernel::Type&) const {}
#define ETUDE_repeated(Type)
#define ETUDE_EVENT(Type, listing, audited, ...) ETUDE_##audited(Type)
#include "kernel/domain/events.def"
};

void DecisionAudit::see(const Study* before, const kernel::Event& event, int line) {
  if (!before) return;
  if (can_be_computed(*before))
    if (const auto why = kernel::cannot_follow(*before, event.body, event.actor)) decision(line, why->reason);
  if (!dead_ends_.empty()) {
    const auto* recorded = std::get_if<kernel::NodeRecorded>(&event.body);
    if (recorded) {
      kernel::Node node = recorded->node;
      node.id.clear();
      node.time_ms = 0;
      same(node, "the dead end", line, [&] { return dead_ends_.front(); });
    } else {
      decision(line, "the dead ends of the ranking before it were not recorded");
    }
    dead_ends_.erase(dead_ends_.begin(), recorded ? dead_ends_.begin() + 1 : dead_ends_.end());
  }
  std::visit(Repetition{*this, *before, event, line}, static_cast<const kernel::EventVariant&>(event.body));
}

void DecisionAudit::queued(const Study& study, const kernel::RunsQueued& event, int line) {
  if (retries(event)) return;
  if (event.purpose == Purpose::smoke)
    same(event, "the smoke runs", line, [&] { return kernel::smoke_runs(study, event.draw); });
  if (event.purpose == Purpose::comparison) {
    if (study.comparison_due() && kernel::not_comparable(study).empty() &&
        study.comparison_parts < kernel::comparison_parts)
      same(event, "the comparison of the code", line,
           [&] { return kernel::comparison_runs(study, study.comparison_parts, event.draw); });
    else
      decision(line, "code is compared, and none was amended");
  }
  if (event.purpose == Purpose::pilot)
    same(event, "the pilot", line, [&] { return kernel::pilot_runs(study, event.draw); });
  const auto warms_up = [](const auto& run) { return run.label == kernel::warmup_label; };
  if (event.purpose == Purpose::scratch && !study.experiments.empty() && std::ranges::any_of(event.runs, warms_up))
    same(event, "the warm-ups", line,
         [&] { return kernel::warmup_runs(study, study.experiments.back().registration); });
  if (event.purpose == Purpose::repeat) decision(line, "a smoke run is repeated apart from the registered runs");
  if (event.purpose != Purpose::registered) return;
  const kernel::Experiment* experiment = study.experiment(event.experiment);
  if (!experiment || !can_be_computed(study, experiment->registration)) return;
  same(event, "the plan of the runs", line, [&] { return kernel::due_runs(study, *experiment); });
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
  else if (event.outcome.end != kernel::JobEnd::signalled)  // Another C library may name the signal otherwise.
    same(event.reason, fmt::format("the reason of run {}", event.run), line, [&] { return judged->reason; });
}

void DecisionAudit::analysed(const Study& study, const kernel::ExperimentAnalysed& event, int line) {
  const kernel::Experiment* experiment = study.experiment(event.experiment);
  if (!experiment || !can_be_computed(study, experiment->registration)) return;
  try {
    kernel::ExperimentAnalysed again = kernel::analyse(study, *experiment);
    name_ties_as(event.results, again.results);
    const auto score = [&](const std::string& what) {
      findings_.add_as(severity_, RuleId::score_mismatch, log_file, line, what);
    };
    for (std::size_t i = 0; i < std::max(event.results.size(), again.results.size()); ++i) {
      if (i >= event.results.size() || i >= again.results.size()) {
        score(fmt::format("{} has {} results, and its hypotheses are {}", quote(event.experiment.text()),
                          event.results.size(), again.results.size()));
        break;
      }
      if (const auto difference = first_value_difference(json(event.results[i]), json(again.results[i])))
        score(fmt::format("{}{} is {}, and the recorded runs give {}", quote(again.results[i].id.text()),
                          difference->where, difference->found, difference->computed));
    }
    for (const kernel::IntegrityFound& found : kernel::integrity(study, *experiment))
      if (std::ranges::none_of(study.integrity, [&](const kernel::IntegrityFound& told) {
            return told.experiment == found.experiment && told.metric == found.metric;
          }))
        decision(line, fmt::format("nothing was recorded of this: {}", newest_words(found.message)));
  } catch (const std::exception& error) {
    decision(line,
             fmt::format("the analysis of {} cannot be computed: {}", quote(event.experiment.text()), error.what()));
  }
}

void DecisionAudit::looked(const Study& study, const kernel::InterimLook& event, int line) {
  const kernel::Experiment* experiment = study.experiment(event.experiment);
  if (!experiment || !can_be_computed(study, experiment->registration)) return;
  if (kernel::next_step_of(*experiment) != kernel::AnalysisStep::look) return;  // Reported as out of turn.
  same(event, "the look", line, [&] {
    kernel::InterimLook again = kernel::interim_look(study, *experiment);
    name_ties_as(event.results, again.results);
    return again;
  });
}

void DecisionAudit::search_registered(const Study& study, const kernel::SearchRegistered& event, int line) {
  if (kernel::sha256_hex(kernel::canonical(event.plan)) != event.hash)
    decision(line, "the plan of the search does not have its hash");
  search_is_sound_ = false;
  if (!study.spec.design.confirm || !kernel::why_not_searchable(study.spec).empty()) return;
  search_is_sound_ =
      !study.search && !first_value_difference(json(event.plan), json(kernel::planned_again(study, event.plan)));
  same(event.plan, "the plan of the search", line, [&] { return kernel::planned_again(study, event.plan); });
}

namespace {

/// The cells of the runs that measure, without those of earlier stages.
std::vector<kernel::Cell> measured_cells(const kernel::RunsQueued& event, const std::string& fidelity) {
  std::vector<kernel::Cell> cells;
  for (std::size_t i = 0; i < event.cells.size(); ++i)
    if (std::ranges::any_of(event.runs, [&](const kernel::PlannedRun& run) {
          return run.stage.empty() && run.cell == static_cast<int>(i);
        }))
      cells.push_back(event.cells[i]);
  for (kernel::Cell& cell : cells) cell.erase(fidelity);
  return cells;
}

}  // namespace

void DecisionAudit::search_queued(const Study& study, const kernel::RunsQueued& event, int line) {
  if (retries(event)) return;
  if (study.spec.code) {
    const std::string version = event.runs.size() == 1 ? event.runs.front().label : "";
    const bool first = study.code.version(version) &&
                       event.runs.front().replicate == kernel::first_run(study, version).runs.front().replicate;
    return same(event, "the runs of versions", line,
                [&] { return first ? kernel::first_run(study, version) : kernel::due_code_runs(study); });
  }
  const auto queued = static_cast<std::size_t>(study.search->queued);
  if (study.search->ranked.size() != queued || queued >= study.search->plan.rungs.size() || study.search->done())
    decision(line, "a rung is queued out of its turn");
  else if (!study.search->plan.rungs[queued].proposes)
    same(event, "the runs of the rung", line, [&] { return kernel::next_rung(study); });
  else if (const std::vector<kernel::Cell> cells = measured_cells(event, study.search->plan.fidelity);
           !kernel::may_be_proposed(study, cells))
    decision(line, "the model proposes settings that the study does not have, or too many");
  else
    same(event, "the runs of the rung", line, [&] { return kernel::next_rung(study, &cells); });
}

/// Repeats the ranking and computes the dead ends that must follow it.
void DecisionAudit::ranked(const Study& study, const kernel::RungRanked& event, int line) {
  if (study.spec.code)
    same(event, "the ranking of versions", line, [&] { return kernel::rank_code(study); });
  else if (study.search->ranked.size() + 1 != static_cast<std::size_t>(study.search->queued))
    decision(line, "a rung is ranked out of its turn");
  else
    same(event, "the ranking of the rung", line, [&] { return kernel::rank_rung(study, &event); });
  try {
    dead_ends_ = study.spec.code ? kernel::code_dead_ends(study, event) : kernel::dropped_nodes(study, event);
  } catch (const std::exception& error) {
    decision(line, fmt::format("the dead ends of the ranking cannot be computed: {}", error.what()));
  }
}

std::optional<ValueDifference> first_value_difference(const json& found, const json& computed) {
  const auto below = [](const std::string& member, std::optional<ValueDifference> difference) {
    if (difference) difference->where = member + difference->where;
    return difference;
  };
  if (found.is_object() && computed.is_object()) {
    for (const auto& [key, value] : computed.items()) {
      const auto member = found.find(key);
      if (member == found.end()) return ValueDifference{"." + key, "missing", shown_value(value)};
      auto difference = below("." + key, first_value_difference(*member, value));
      if (!difference) continue;
      // Of two reasons the sentences are shown; if these are equal, the value that differs.
      const bool reasons = kernel::is_reason(found) && kernel::is_reason(computed);
      if (!reasons || written(found) == written(computed)) return difference;
      auto [was, is] = differing(written(found), written(computed), shown_of_value);
      return ValueDifference{"", std::move(was), std::move(is)};
    }
    for (const auto& [key, value] : found.items())
      if (!computed.contains(key)) return ValueDifference{"." + key, shown_value(value), "nothing"};
    return std::nullopt;
  }
  if (found.is_array() && computed.is_array() && found.size() == computed.size()) {
    for (std::size_t i = 0; i < found.size(); ++i)
      if (auto difference = below(fmt::format("[{}]", i), first_value_difference(found[i], computed[i])))
        return difference;
    return std::nullopt;
  }
  // An event of version 1 has the sentence where one of version 2 has the code.
  if (found.is_string() && kernel::is_reason(computed)) {
    json told = computed;
    kernel::put_in_words(told, 1);
    return first_value_difference(found, told);
  }
  if (same_scalar(found, computed)) return std::nullopt;
  auto [was, is] = differing(written(found), written(computed), shown_of_value);
  return ValueDifference{"", std::move(was), std::move(is)};
}

}  // namespace artifacts
