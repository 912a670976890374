#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "kernel/binding/prose_binding.h"
#include "kernel/codec/codec.h"
#include "kernel/decide/decider.h"
#include "kernel/decide/preconditions.h"
#include "kernel/design/code_comparison.h"
#include "kernel/design/design.h"
#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/search/search.h"
#include "kernel/verdicts/analyse_experiment.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace kernel {

Decision Decider::operator()(const ProposeHypothesis& c) {
  const std::string& id = c.hypothesis.id.text();
  // A hypothesis beyond the family is only exploratory.
  HypothesisProposed proposed{c.hypothesis, study->batch.number, family_is_full(*study)};
  if (const auto why = against(proposed)) return *why;
  if (!study->spec.metric(c.hypothesis.metric))
    return rejected({ReasonCode::no_such_metric, {{"metric", c.hypothesis.metric}}});
  if (cells_of(study->spec, c.hypothesis).empty())
    return rejected({ReasonCode::no_cell_of_hypothesis, {{"hypothesis", id}}});
  if (study->spec.kind != StudyKind::test && !is_selected(*study, c.hypothesis))
    return rejected({ReasonCode::not_of_the_search, {{"hypothesis", id}}});
  if (Reason why = repeats_dead_end(*study, c.hypothesis); !why.empty())
    return rejected({ReasonCode::repeats_dead_end, {{"hypothesis", id}, {"why", std::vector{std::move(why)}}}});
  if (const std::string refusal = bind_words(*study, command.actor, proposed.hypothesis, command.built_in);
      !refusal.empty())
    return Rejection{fmt::format("hypothesis {} does not pass: {}", c.hypothesis.id, refusal)};
  return record(std::move(proposed));
}

/// A hypothesis whose values were seen on the old code is a new one on the new code, and takes another slot.
void Decider::propose_anew(const ExperimentId& experiment, const std::string& why) {
  std::vector<const HypothesisRecord*> open;
  for (const HypothesisRecord& record : study->hypotheses)
    if (record.experiment == experiment && !record.result) open.push_back(&record);
  for (const HypothesisRecord* record : open)
    emit(HypothesisWithdrawn{record->hypothesis.id, {ReasonCode::amended_after_values, {{"why", why}}}, {}});
  emit(BatchOpened{study->batch.number + 1, {ReasonCode::code_amended}});
  auto count = static_cast<int>(study->hypotheses.size());
  for (const HypothesisRecord* record : open) {
    Hypothesis again = record->hypothesis;
    const HypothesisId stem = again.id;
    for (int n = 2; study->hypothesis(again.id); ++n) again.id = HypothesisId(fmt::format("{}-{}", stem, n));
    emit(HypothesisProposed{std::move(again), study->batch.number + 1, count++ >= study->family});
  }
  emit(ProposalsClosed{study->family});
}

Decision Decider::operator()(const AmendWorkspace& c) {
  const bool by_person = is_person(command.actor);
  bool open_lines = false, may_change = false;
  for (const LineOfWork& line : study->thinking.lines) {
    if (line.ended || line.role != command.actor) continue;
    open_lines = true;
    may_change = may_change || may_change_code(line.subject.purpose);
  }
  if (open_lines && !may_change)
    return Rejection{"this work does not change code: it says what the code must do, or judges it"};
  WorkspaceAmended amended{c.why, c.workspace, "", false, waiting_runs(*study)};
  amended.workspace.by = by_person ? "" : command.actor;
  if (study->spec.setup && c.setup && c.setup->key != study->spec.setup_key) amended.setup = c.setup;
  if (const Experiment* open = open_experiment(*study)) amended.experiment = open->registration.experiment;
  amended.seen = values_seen(*study, amended.experiment);
  if (!by_person && study->spec.design.rule == VerdictRule::one_interval)
    amended.amendment = {command.actor, c.line,   study->scoring.hash,     amended.workspace.hash,
                         c.diff,        c.places, findings_to_mend(*study)};
  if (const auto why = against(amended)) return *why;
  if (c.why.empty()) return Rejection{"code is amended for a reason"};
  if (!c.base.empty() && c.base != study->workspace.hash)
    return Rejection{"somebody else amended the code meanwhile: this is made from another version"};
  const ExperimentId experiment = amended.experiment;
  const bool seen = amended.seen;
  Node node = dead_end(experiment.empty()
                           ? Reason{ReasonCode::code_amended_title}
                           : Reason{ReasonCode::experiment_ended_by_amendment, {{"experiment", experiment.text()}}},
                       {ReasonCode::code_could_not_answer}, as_said(c.why),
                       {seen ? ReasonCode::tested_as_new : ReasonCode::keep_their_places});
  Node words;  // Only the reason is the actor's text.
  words.title = c.why;
  if (const std::string refusal = bind_words(*study, command.actor, words); !refusal.empty())
    return Rejection{"the reason does not pass: " + refusal};
  emit(std::move(amended));
  if (seen) propose_anew(experiment, c.why);
  emit_node(std::move(node));
  return done();
}

Decision Decider::operator()(const CloseProposals& c) {
  if (const auto why = against(ProposalsClosed{c.family})) return *why;
  if (study->spec.kind != StudyKind::test && (study->hypotheses.size() != selected_hypotheses(*study).size() ||
                                              c.family != study->search->plan.registered.family))
    return rejected({ReasonCode::confirmed_as_a_whole});
  return record(ProposalsClosed{c.family});
}

Decision Decider::operator()(const OpenBatch& c) {
  if (study->phase() != Phase::concluding) return need(Phase::concluding, ReasonCode::step_batch);
  BatchOpened opened{study->batch.number + 1, as_said(c.why)};
  if (const auto why = against(opened)) return *why;
  Node words;
  words.title = c.why;
  if (const std::string refusal = bind_words(*study, command.actor, words); !refusal.empty())
    return Rejection{"the reason does not pass: " + refusal};
  return record(std::move(opened));
}

Decision Decider::operator()(const WithdrawHypothesis& c) {
  const HypothesisRecord* record = study->hypothesis(c.hypothesis);
  HypothesisWithdrawn withdrawn{c.hypothesis, as_said(c.why),
                                record ? needless_runs(*study, *record) : std::vector<int>{}};
  if (const auto why = against(withdrawn)) return *why;
  if (c.why.empty()) return Rejection{"a hypothesis is withdrawn for a reason"};
  emit(std::move(withdrawn));
  Node node = dead_end({ReasonCode::withdrawn_title, {{"statement", record->hypothesis.statement}}},
                       {ReasonCode::withdrawn_without_verdict}, as_said(c.why), {ReasonCode::nothing_from_withdrawn});
  node.hypothesis = c.hypothesis;
  node.fields["hypothesis"] = record->hypothesis.statement;
  emit_node(std::move(node));
  return done();
}

Decision Decider::operator()(const RequestSmoke&) {
  if (const auto why = against(ManipulationChecked{true, {}})) return *why;
  if (study->spec.design.smoke)
    emit(smoke_runs(*study, fresh));
  else
    emit(ManipulationChecked{true, {}});
  return done();
}

namespace {

/// The first failed run of these trials if all of them failed and at least one ran; else null.
const Run* all_failed(const Study& study, Purpose purpose, int after) {
  const Run* first = nullptr;
  for (const Run& run : study.runs) {
    if (run.purpose != purpose || run.number <= after || run.superseded || !run.cached_from.empty()) continue;
    if (run.state == RunState::succeeded) return nullptr;
    if (!first && run.state != RunState::cancelled && run.state != RunState::lost) first = &run;
  }
  return first;
}

}  // namespace

/// If no trial succeeded, further runs would fail as well: the study ends as failed, with the cause.
void Decider::fail_before_registration(ReasonCode code, const Run& run) {
  Reason why{code, {{"run", study->run_id(run.number)}, {"reason", std::vector{run.reason}}}};
  emit(StudyConcluded{StudyOutcome::failed, why});
  emit_node(
      dead_end({ReasonCode::no_trial_succeeded}, {ReasonCode::nothing_works}, why, {ReasonCode::nothing_measured}));
}

Decision Decider::operator()(const JudgeManipulation&) {
  if (const auto why = against(ManipulationChecked{})) return *why;
  ManipulationChecked check = judge_manipulation(*study);
  const auto seed = find_by(check.findings, &CheckFinding::subject, std::string(seed_label));
  const Reason pinned = seed && seed->message.code == ReasonCode::seed_without_effect ? seed->message : Reason();
  emit(std::move(check));
  // Code that an agent wrote is refused, and where agents write code the finding is a task for the engineer.
  const bool of_agents = study->spec.agents != "builtin" || !study->workspace.by.empty();
  if (of_agents || study->spec.design.rule == VerdictRule::smallest_effect) return done();
  if (const Run* failed = all_failed(*study, Purpose::smoke, study->batch.amended_at))
    fail_before_registration(ReasonCode::all_smoke_failed, *failed);
  else if (!pinned.empty())
    emit(StudyPaused{PauseReason::seed,
                     {ReasonCode::seed_before_pilot, {{"what", std::vector{pinned}}, {"study", study->id}}}});
  return done();
}

Decision Decider::operator()(const RequestComparison&) {
  if (!study->comparison_due() || study->comparison_parts > 0)
    return need(Phase::checking, ReasonCode::step_comparison);
  if (!not_comparable(*study).empty()) return (*this)(JudgeComparison{});
  for (int part = 0; part < comparison_parts; ++part) emit(comparison_runs(*study, part, fresh));
  return done();
}

Decision Decider::operator()(const JudgeComparison&) {
  CodeCompared compared = judge_comparison(*study);
  if (const auto why = against(compared)) return *why;
  StudyRequirement required = requirement_on_change(*study, compared);
  emit(std::move(compared));
  return record(RequirementBound{std::move(required)});
}

Decision Decider::operator()(const RegisterSearch&) {
  if (const auto why = against(SearchRegistered{})) return *why;
  SearchPlan plan = search_plan(*study, fresh);
  const std::string hash = sha256_hex(canonical(plan));
  Node node = search_node(*study, plan);
  node.fields["registration"] = hash;
  emit(SearchRegistered{std::move(plan), hash});
  emit_node(std::move(node));
  return done();
}

Decision Decider::operator()(const QueueRung&) {
  const std::optional<Search>& search = study->search;
  if (study->phase() != Phase::searching || !search ||
      search->ranked.size() != static_cast<std::size_t>(search->queued))
    return need(Phase::searching, ReasonCode::step_rung_runs);
  return record(next_rung(*study));
}

Decision Decider::operator()(const RankRung&) {
  if (const auto why = against(RungRanked{})) return *why;
  RungRanked ranked = rank_rung(*study);
  std::vector<Node> dropped = dropped_nodes(*study, ranked);
  const bool nothing = ranked.last && nothing_kept(ranked);
  emit(std::move(ranked));
  for (Node& node : dropped) emit_node(std::move(node));
  if (nothing) emit(StudyConcluded{StudyOutcome::failed, {ReasonCode::no_candidate_succeeded}});
  return done();
}

Decision Decider::operator()(const RequestPilot&) {
  if (study->phase() != Phase::sizing || study->asked_pilot) return need(Phase::sizing, ReasonCode::step_pilot);
  if (study->spec.design.sized_beforehand()) return rejected({ReasonCode::replicates_fixed});
  return record(pilot_runs(*study, fresh));
}

Decision Decider::operator()(const SizeSample&) {
  if (const auto why = against(SampleSized{})) return *why;
  const int before = std::max(study->batch.amended_at, study->batch.runs_before);
  if (const Run* failed = all_failed(*study, Purpose::pilot, before);
      failed && study->spec.design.rule != VerdictRule::smallest_effect) {
    fail_before_registration(ReasonCode::all_pilot_failed, *failed);
    return done();
  }
  return record(size_sample(*study));
}

Decision Decider::operator()(const RegisterExperiment& c) {
  if (const auto why = against(ExperimentRegistered{})) return *why;
  const auto open = study->open_batch();
  for (const HypothesisId& id : c.hypotheses)
    if (std::ranges::none_of(open, [&](const auto* record) { return record->hypothesis.id == id; }))
      return rejected({ReasonCode::not_in_the_batch, {{"hypothesis", id.text()}}});
  if (c.hypotheses.size() != open.size()) return rejected({ReasonCode::batch_not_whole});
  Registration registration = registration_of(*study, c.hypotheses, fresh);
  const std::string hash = sha256_hex(canonical(registration));
  Node node;
  node.type = NodeType::experiment;
  node.experiment = registration.experiment;
  state_text(node, "title",
             {ReasonCode::experiment_title,
              {{"experiment", registration.experiment.text()},
               {"hypotheses", static_cast<std::int64_t>(registration.hypotheses.size())},
               {"cells", static_cast<std::int64_t>(registration.cells.size())}}});
  node.parents = {study->nodes.back().id};
  node.fields["registration"] = hash;
  Experiment experiment;
  experiment.registration = registration;
  RunsQueued runs = due_runs(*study, experiment);
  RunsQueued warmups = warmup_runs(*study, registration);
  const int ahead = static_cast<int>(warmups.runs.size());
  for (PlannedRun& run : runs.runs) {
    run.number += ahead;
    for (int& need : run.needs) need += ahead;
  }
  emit(ExperimentRegistered{std::move(registration), hash});
  emit_node(std::move(node));
  if (ahead > 0) emit(std::move(warmups));
  return record(std::move(runs));
}

Decision Decider::operator()(const AnalyseExperiment& c) {
  if (study->phase() != Phase::analysing) return need(Phase::analysing, ReasonCode::step_analysis);
  for (const Experiment& e : study->experiments) {
    if (e.registration.experiment != c.experiment || e.analysed || e.amended) continue;
    const AnalysisStep step = next_step_of(e);
    if (step == AnalysisStep::look) return record(interim_look(*study, e));
    if (step == AnalysisStep::runs) {
      return record(due_runs(*study, e));
    }
    for (IntegrityFound& found : integrity(*study, e)) emit(std::move(found));
    return record(analyse(*study, e));
  }
  return rejected({ReasonCode::no_such_experiment, {{"experiment", c.experiment.text()}}});
}

Decision Decider::operator()(const RecordNode& c) {
  if (is_person(command.actor)) return record_by_hand(c.node);
  if (const auto why = against(NodeRecorded{c.node})) return *why;
  if (c.node.title.empty()) return rejected({ReasonCode::node_without_title});
  Node node = c.node;
  if (const std::string refusal = bind_words(*study, command.actor, node, command.built_in); !refusal.empty())
    return Rejection{fmt::format("the {} does not pass: {}", name(node.type), refusal)};
  emit_node(std::move(node));
  return done();
}

Decision Decider::operator()(const RecordClaim& c) {
  if (const auto why = against(ClaimRecorded{c.claim})) return *why;
  Claim claim = c.claim;
  if (const std::string refusal = bind_words(*study, command.actor, claim, command.built_in); !refusal.empty())
    return Rejection{fmt::format("the claim on {} does not pass: {}", claim.hypothesis, refusal)};
  claim.id = numbered('C', study->claims.size() + 1);
  claim.experiment = study->hypothesis(claim.hypothesis)->experiment;
  return record(ClaimRecorded{std::move(claim)});
}

Decision Decider::operator()(const Conclude&) {
  if (study->phase() == Phase::cancelling)
    return record_if_allowed(StudyConcluded{StudyOutcome::cancelled, study->cancel_why});
  if (study->spec.captured() && is_person(command.actor)) return end_capture();
  if (const auto why = against(StudyConcluded{StudyOutcome::concluded, {}})) return *why;
  const bool any = std::ranges::any_of(
      study->runs, [](const Run& run) { return run.evidence() && run.state == RunState::succeeded; });
  return record(any ? StudyConcluded{StudyOutcome::concluded, {}}
                    : StudyConcluded{StudyOutcome::failed, {ReasonCode::no_run_succeeded}});
}

}  // namespace kernel
