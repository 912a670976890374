#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "kernel/binding/prose_binding.h"
#include "kernel/codec/codec.h"
#include "kernel/decide/decider.h"
#include "kernel/decide/log_order.h"
#include "kernel/design/design.h"
#include "kernel/design/due_runs.h"
#include "kernel/design/manipulation_check.h"
#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/search/search.h"
#include "kernel/search/search_nodes.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/study/gates.h"
#include "kernel/study/requirements.h"
#include "kernel/verdicts/analyse_experiment.h"
#include "kernel/verdicts/integrity.h"
#include "prose/numbers.h"

namespace kernel {

Decision Decider::operator()(const ProposeHypothesis& c) {
  if (study->phase() != Phase::proposing) return need(Phase::proposing, "a hypothesis");
  if (study->hypothesis(c.hypothesis.id)) return Rejection{"hypothesis " + c.hypothesis.id + " exists already"};
  if (!study->spec.metric(c.hypothesis.metric)) return Rejection{"there is no metric " + c.hypothesis.metric};
  if (cells_of(study->spec, c.hypothesis).empty())
    return Rejection{"no cell is left for hypothesis " + c.hypothesis.id + " after the constraints"};
  if (study->spec.kind != StudyKind::test && !is_selected(*study, c.hypothesis))
    return Rejection{"hypothesis " + c.hypothesis.id + " is none of those that the search carries forward"};
  if (std::string why = repeats_dead_end(*study, c.hypothesis); !why.empty())
    return Rejection{"hypothesis " + c.hypothesis.id + " repeats a dead end: " + why};
  Hypothesis hypothesis = c.hypothesis;
  if (const std::string refusal = bind_words(*study, command.actor, hypothesis); !refusal.empty())
    return Rejection{fmt::format("hypothesis {} does not pass: {}", hypothesis.id, refusal)};
  emit(HypothesisProposed{std::move(hypothesis), study->batch.number,
                          family_is_full(*study)});  // Beyond it nothing can be supported, only explored.
  return done();
}

/// What was tested on code whose values were seen is tested on another one as something new: it counts once more.
void Decider::propose_anew(const std::string& experiment, const std::string& why) {
  std::vector<const HypothesisRecord*> open;
  for (const HypothesisRecord& record : study->hypotheses)
    if (record.experiment == experiment && !record.result) open.push_back(&record);
  for (const HypothesisRecord* record : open)
    emit(HypothesisWithdrawn{
        record->hypothesis.id, "the code was amended after values had been seen (" + why + ")", {}});
  emit(BatchOpened{study->batch.number + 1, "the code was amended"});
  auto count = static_cast<int>(study->hypotheses.size());
  for (const HypothesisRecord* record : open) {
    Hypothesis again = record->hypothesis;
    const std::string stem = again.id;
    for (int n = 2; study->hypothesis(again.id); ++n) again.id = fmt::format("{}-{}", stem, n);
    emit(HypothesisProposed{std::move(again), study->batch.number + 1, count++ >= study->family});
  }
  emit(ProposalsClosed{study->family});
}

Decision Decider::operator()(const AmendWorkspace& c) {
  const Phase at = study->phase();
  if (study->spec.kind != StudyKind::test)
    return Rejection{"the plan of a search was registered for the code as it was: run the study anew"};
  if (at != Phase::preparing && at != Phase::proposing && at != Phase::checking && at != Phase::sizing &&
      at != Phase::registering && at != Phase::measuring)
    return Rejection{fmt::format("the study is at `{}`: nothing is left to be run on other code", name(at))};
  if (at == Phase::preparing && !(study->live.empty() && study->queue.empty()))
    return Rejection{"its environment is being set up: amend the code once that has ended"};
  if (c.why.empty()) return Rejection{"code is amended for a reason"};
  if (std::string refused = refused_engineer(*study); command.actor != "person" && !refused.empty())
    return Rejection{std::move(refused)};
  if (!c.base.empty() && c.base != study->workspace.hash)
    return Rejection{"somebody else amended the code meanwhile: this is made from another version"};
  for (const HypothesisRecord& record : study->hypotheses)
    if (record.result && record.withdrawn.empty())
      return Rejection{
          fmt::format("{} has its verdict on the code as it is: other code is another study", record.hypothesis.id)};
  if (std::string used = refused_look(*study); !study->experiments.empty() && !used.empty())
    return Rejection{std::move(used)};
  if (c.workspace.hash == study->workspace.hash) return Rejection{"the workspace is as it was"};
  const bool other_setup = study->spec.setup && c.setup && c.setup->key != study->spec.setup_key;
  if (other_setup && command.actor != "person" && !may_change_setup(*study, command.actor))
    return Rejection{"no person has let it change what the environment is set up from"};
  const auto hashes = [](const WorkspaceRecord& record) {
    std::map<std::string, std::string> files;
    for (const ProtectedFile& file : record.protect) files[file.path] = file.sha256;
    return files;
  };
  if (hashes(c.workspace) != hashes(study->workspace))
    return Rejection{"a protected file changed, too: with another evaluator it is another study"};
  WorkspaceAmended amended{c.why, c.workspace, "", false, {study->queue.begin(), study->queue.end()}};
  if (other_setup) amended.setup = c.setup;
  amended.workspace.by = command.actor == "person" ? "" : command.actor;
  amended.runs.insert(amended.runs.end(), study->blocked.begin(), study->blocked.end());
  if (const Experiment* open = open_experiment(*study)) amended.experiment = open->registration.experiment;
  amended.seen = values_seen(*study, amended.experiment);
  const std::string experiment = amended.experiment;
  const bool seen = amended.seen;
  Node node =
      dead_end("The code was amended" + (experiment.empty() ? "" : ": " + experiment + " ended without verdicts"),
               "the code as it was could not answer the question", c.why,
               seen ? "Values had been seen: its hypotheses are tested as new ones, which count."
                    : "No value of the primary metric had been seen: its hypotheses keep their slots.");
  Node words;  // Only the reason is its own.
  words.title = c.why;
  if (const std::string refusal = bind_words(*study, command.actor, words); !refusal.empty())
    return Rejection{"the reason does not pass: " + refusal};
  emit(std::move(amended));
  if (seen) propose_anew(experiment, c.why);
  emit_node(std::move(node));
  return done();
}

Decision Decider::operator()(const CloseProposals& c) {
  if (study->phase() != Phase::proposing) return need(Phase::proposing, "closing the proposals");
  // A further batch may turn out to be none.
  if (study->open_batch().empty() && study->batch.number == 1) return Rejection{"no hypothesis has been proposed"};
  if (study->spec.kind != StudyKind::test &&
      (study->hypotheses.size() != selected_hypotheses(*study).size() || c.family != study->search->plan.top))
    return Rejection{"what the search carries forward is confirmed as a whole, in the family that was registered"};
  if (c.family < 1) return Rejection{"a family has at least one slot"};
  if (study->family > 0 && c.family != study->family)
    return Rejection{fmt::format("the family was fixed at {} slots before the first data", study->family)};
  emit(ProposalsClosed{c.family});
  return done();
}

Decision Decider::operator()(const OpenBatch& c) {
  if (study->phase() != Phase::concluding) return need(Phase::concluding, "a further batch");
  if (study->spec.kind != StudyKind::test) return Rejection{"what a search carries forward is one batch"};
  if (!study->claims.empty()) return Rejection{"the claims are being written: the verdicts stand"};
  Node words;
  words.title = c.why;
  if (const std::string refusal = bind_words(*study, command.actor, words); !refusal.empty())
    return Rejection{"the reason does not pass: " + refusal};
  emit(BatchOpened{study->batch.number + 1, c.why});
  return done();
}

Decision Decider::operator()(const WithdrawHypothesis& c) {
  const HypothesisRecord* record = study->hypothesis(c.hypothesis);
  if (!record) return Rejection{"there is no hypothesis " + c.hypothesis};
  if (!record->withdrawn.empty()) return Rejection{"hypothesis " + c.hypothesis + " was withdrawn already"};
  if (record->result) return Rejection{"hypothesis " + c.hypothesis + " has its verdict, which is final"};
  if (study->cancelling || study->outcome) return Rejection{"study " + command.study + " concludes already"};
  if (c.why.empty()) return Rejection{"a hypothesis is withdrawn for a reason"};
  emit(HypothesisWithdrawn{c.hypothesis, c.why, needless_runs(*study, *record)});
  Node node = dead_end("Withdrawn: " + record->hypothesis.statement, "withdrawn before it had a verdict", c.why,
                       "Nothing is concluded from it; it keeps its slot in the family.");
  node.hypothesis = c.hypothesis;
  node.fields["hypothesis"] = record->hypothesis.statement;
  emit_node(std::move(node));
  return done();
}

Decision Decider::operator()(const RequestSmoke&) {
  if (study->phase() != Phase::checking || study->asked_smoke) return need(Phase::checking, "the manipulation check");
  if (study->spec.design.smoke)
    emit(smoke_runs(*study));
  else
    emit(ManipulationChecked{true, {}});
  return done();
}

Decision Decider::operator()(const JudgeManipulation&) {
  if (study->phase() != Phase::checking || !study->asked_smoke || study->pending_smoke > 0)
    return need(Phase::checking, "judging the manipulation check");
  emit(judge_manipulation(*study));
  return done();
}

Decision Decider::operator()(const RegisterSearch&) {
  if (study->phase() != Phase::searching || study->search) return need(Phase::searching, "registering a search");
  if (const std::string why = why_not_searchable(study->spec); !why.empty()) return Rejection{why};
  if (std::string refused = refused_code(*study); !refused.empty()) return Rejection{std::move(refused)};
  SearchPlan plan = search_plan(*study);
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
    return need(Phase::searching, "the runs of a rung");
  emit(next_rung(*study));
  return done();
}

Decision Decider::operator()(const RankRung&) {
  const std::optional<Search>& search = study->search;
  if (study->phase() != Phase::searching || !search || search->pending > 0 ||
      search->ranked.size() == static_cast<std::size_t>(search->queued))
    return need(Phase::searching, "ranking a rung");
  RungRanked ranked = rank_rung(*study);
  std::vector<Node> dropped = dropped_nodes(*study, ranked);
  const bool nothing = ranked.last && nothing_kept(ranked);
  emit(std::move(ranked));
  for (Node& node : dropped) emit_node(std::move(node));
  if (nothing) emit(StudyConcluded{StudyOutcome::failed, {ReasonCode::no_candidate_succeeded}});
  return done();
}

Decision Decider::operator()(const RequestPilot&) {
  if (study->phase() != Phase::sizing || study->asked_pilot) return need(Phase::sizing, "a pilot");
  if (study->spec.design.sized_beforehand())
    return Rejection{"the replicates are fixed: there is nothing for a pilot to size"};
  emit(pilot_runs(*study));
  return done();
}

Decision Decider::operator()(const SizeSample&) {
  if (study->phase() != Phase::sizing || study->pending_pilot > 0) return need(Phase::sizing, "sizing");
  if (!study->spec.design.sized_beforehand() && !study->asked_pilot)
    return Rejection{"the pilot comes before the sizing"};
  emit(size_sample(*study));
  return done();
}

Decision Decider::operator()(const RegisterExperiment& c) {
  if (study->phase() != Phase::registering) return need(Phase::registering, "a registration");
  const auto open = study->open_batch();
  for (const std::string& id : c.hypotheses)
    if (std::none_of(open.begin(), open.end(), [&](const auto* record) { return record->hypothesis.id == id; }))
      return Rejection{"there is no hypothesis " + id + " in the batch"};
  if (c.hypotheses.size() != open.size())
    return Rejection{"every proposed hypothesis of the batch is registered together"};
  if (std::string refused = refused_look(*study); !refused.empty()) return Rejection{std::move(refused)};
  if (std::string refused = refused_code(*study); !refused.empty()) return Rejection{std::move(refused)};
  if (std::string refused = unmet_requirements(*study); !refused.empty()) return Rejection{std::move(refused)};
  Registration registration = registration_of(*study, c.hypotheses);
  const std::string hash = sha256_hex(canonical(registration));
  Node node;
  node.type = NodeType::experiment;
  node.experiment = registration.experiment;
  node.title = fmt::format("{}: {}, {}", registration.experiment,
                           prose::counted(static_cast<long long>(registration.hypotheses.size()), "hypothesis"),
                           prose::counted(static_cast<long long>(registration.cells.size()), "cell"));
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
  emit(std::move(runs));
  return done();
}

Decision Decider::operator()(const AnalyseExperiment& c) {
  if (study->phase() != Phase::analysing) return need(Phase::analysing, "an analysis");
  for (const Experiment& e : study->experiments) {
    if (e.registration.experiment != c.experiment || e.analysed || e.amended) continue;
    const AnalysisStep step = next_step_of(e);
    if (step == AnalysisStep::look) {
      emit(interim_look(*study, e));
      return done();
    }
    if (step == AnalysisStep::runs) {
      emit(due_runs(*study, e));
      return done();
    }
    for (IntegrityFound& found : integrity(*study, e)) emit(std::move(found));
    emit(analyse(*study, e));
    return done();
  }
  return Rejection{"there is no experiment " + c.experiment + " to analyse"};
}

Decision Decider::operator()(const RecordNode& c) {
  if (command.actor == "person") return record_by_hand(c.node);
  for (const std::string& parent : c.node.parents)
    if (std::none_of(study->nodes.begin(), study->nodes.end(), [&](const Node& n) { return n.id == parent; }))
      return Rejection{"there is no node " + parent};
  if (c.node.title.empty()) return Rejection{"a node needs a title"};
  Node node = c.node;
  if (const std::string refusal = bind_words(*study, command.actor, node); !refusal.empty())
    return Rejection{fmt::format("the {} does not pass: {}", name(node.type), refusal)};
  emit_node(std::move(node));
  return done();
}

Decision Decider::operator()(const RecordClaim& c) {
  if (study->phase() != Phase::concluding) return need(Phase::concluding, "a claim");
  const HypothesisRecord* record = study->hypothesis(c.claim.hypothesis);
  if (!record || !record->result) return Rejection{"claim on " + c.claim.hypothesis + ": it has no verdict"};
  if (!record->withdrawn.empty()) return Rejection{"claim on " + c.claim.hypothesis + ": it was withdrawn"};
  // The kernel, not the author, knows the verdict.
  const Verdict verdict = record->result->verdict;
  const std::string status = verdict == Verdict::supported ? "supported"
                             : verdict == Verdict::refuted ? "refuted"
                                                           : "hypothesis";
  if (c.claim.status != status)
    return Rejection{
        fmt::format("claim on {} says `{}`; the verdict is {}", c.claim.hypothesis, c.claim.status, name(verdict))};
  if (std::any_of(study->claims.begin(), study->claims.end(),
                  [&](const Claim& other) { return other.hypothesis == c.claim.hypothesis; }))
    return Rejection{"there is a claim on " + c.claim.hypothesis + " already"};
  Claim claim = c.claim;
  if (const std::string refusal = bind_words(*study, command.actor, claim); !refusal.empty())
    return Rejection{fmt::format("the claim on {} does not pass: {}", claim.hypothesis, refusal)};
  claim.id = numbered('C', study->claims.size() + 1);
  claim.experiment = record->experiment;
  emit(ClaimRecorded{std::move(claim)});
  return done();
}

Decision Decider::operator()(const Conclude&) {
  if (study->phase() == Phase::cancelling) {
    if (!study->live.empty()) return Rejection{"runs of " + command.study + " still live"};
    if (study->thinking.under_way > 0) return Rejection{"models are still asked for " + command.study};
    emit(StudyConcluded{StudyOutcome::cancelled, as_said(study->cancel_why)});
    return done();
  }
  if (study->spec.captured() && command.actor == "person") return end_capture();
  if (study->phase() != Phase::concluding) return need(Phase::concluding, "the conclusion");
  const auto tested = std::count_if(study->hypotheses.begin(), study->hypotheses.end(),
                                    [](const HypothesisRecord& record) { return record.withdrawn.empty(); });
  if (static_cast<std::ptrdiff_t>(study->claims.size()) < tested)
    return Rejection{"every hypothesis needs its claim first"};
  const bool any = std::any_of(study->runs.begin(), study->runs.end(),
                               [](const Run& run) { return run.evidence() && run.state == RunState::succeeded; });
  emit(any ? StudyConcluded{StudyOutcome::concluded, {}}
           : StudyConcluded{StudyOutcome::failed, {ReasonCode::no_run_succeeded}});
  return done();
}

}  // namespace kernel
