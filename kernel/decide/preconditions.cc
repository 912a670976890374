#include "kernel/decide/preconditions.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "kernel/design/design.h"
#include "kernel/domain/enum_names.h"
#include "kernel/search/code_search.h"
#include "kernel/search/keep_or_discard.h"
#include "kernel/search/search.h"
#include "kernel/sizing/interim_looks.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/study/gates.h"
#include "kernel/study/requirements.h"
#include "kernel/wording/wording.h"

namespace kernel {

AnalysisStep next_step_of(const Experiment& e) {
  const std::size_t taken = e.going_on.size();
  if (e.planned == static_cast<int>(taken) + 1 && taken < looks_of(e.registration).size()) return AnalysisStep::look;
  if (e.planned == static_cast<int>(taken) && taken > 0 && !e.going_on.back().empty()) return AnalysisStep::runs;
  return AnalysisStep::verdicts;
}

const Experiment* open_experiment(const Experiments& study) {
  if (study.experiments.empty()) return nullptr;
  const Experiment& last = study.experiments.back();
  return last.analysed || last.amended ? nullptr : &last;
}

bool family_is_full(const Study& study) {
  const int elsewhere = study.fork ? study.fork->slots : 0;
  std::optional<int> family = study.family > 0 ? study.family : study.spec.design.family;
  // A fork has the family that its past would have had: what is listed, or what was used.
  if (!family && elsewhere > 0) family = std::max(elsewhere, static_cast<int>(study.spec.hypotheses.size()));
  return family && static_cast<int>(study.hypotheses.size()) + elsewhere >= *family;
}

bool values_seen(const RunBoard& study, const ExperimentId& experiment) {
  return !experiment.empty() && std::ranges::any_of(study.runs, [&](const Run& run) {
    // The values of a repeat are those of the smoke run.
    return run.experiment == experiment && run.purpose != Purpose::repeat && run.stage.empty() &&
           !run.measurement.values.empty();
  });
}

std::vector<int> waiting_runs(const RunBoard& study) {
  std::vector<int> waiting(study.queue.begin(), study.queue.end());
  waiting.insert(waiting.end(), study.blocked.begin(), study.blocked.end());
  return waiting;
}

Reason refused_code(const Study& study) {
  if (study.workspace.by.empty() || !study.check) return {};
  const std::vector<CheckFinding>& found = study.check->findings;
  const auto serious = [](const CheckFinding& finding) { return finding.serious; };
  const auto first = std::ranges::find_if(found, serious);
  if (first == found.end()) return {};
  const auto others = std::count_if(first + 1, found.end(), serious);
  Reason why{ReasonCode::check_not_passed, {{"author", study.workspace.by}, {"finding", std::vector{first->message}}}};
  if (others > 0) why.values["more"] = std::vector{Reason{ReasonCode::with_more, {{"more", others}}}};
  return why;
}

Rejection rejected(const Reason& why) {
  return {newest_words(why), why};
}

Reason belongs_to(const Study& study, Phase wanted, ReasonCode what) {
  return {ReasonCode::belongs_to_phase,
          {{"what", std::vector{Reason{what}}},
           {"wanted", std::string(name(wanted))},
           {"phase", std::string(name(study.phase()))}}};
}

namespace {

/// Made of a sentence for the sender only, or of a reason; none if that is empty.
struct Why : std::optional<Rejection> {
  Why() = default;
  Why(const char* text) : Why(std::string(text)) {}
  Why(std::string text) {
    if (!text.empty()) emplace(Rejection{std::move(text)});
  }
  Why(const Reason& why) {
    if (!why.empty()) emplace(rejected(why));
  }
};

std::map<std::string, std::string> protected_hashes(const WorkspaceRecord& record) {
  std::map<std::string, std::string> files;
  for (const ProtectedFile& file : record.protect) files[file.path] = file.sha256;
  return files;
}

/// The rule for each type of event.
struct Preconditions {
  const Study& study;
  const std::string& actor;

  Why at(Phase wanted, ReasonCode what) const {
    return study.phase() == wanted ? Why() : belongs_to(study, wanted, what);
  }
  Why step(const ExperimentId& id, AnalysisStep wanted, ReasonCode what) const {
    const Experiment* e = study.experiment(id);
    if (!e || e->analysed || e->amended)
      return fmt::format("{} of {}, which is not open", newest_words(Reason{what}), id);
    if (next_step_of(*e) != wanted)
      return fmt::format("{} of {}, whose turn it is not", newest_words(Reason{what}), id);
    return at(Phase::analysing, what);
  }
  Why worked_on() const {
    if (study.state == StudyState::running && !study.cancelling && !study.outcome) return {};
    return Reason{ReasonCode::study_not_worked_on};
  }
  Why open_line(const std::string& id) const {
    const LineOfWork* line = study.thinking.line(id);
    return line && !line->ended ? Why() : Reason{ReasonCode::no_open_line, {{"line", id}}};
  }
  Why searching_code() const {
    const bool searching = study.phase() == Phase::searching && study.spec.code && study.search;
    return searching ? Why() : Reason{ReasonCode::no_code_searched};
  }

  // The study.
  Why operator()(const StudyOpened&) const { return "the study exists already"; }
  Why operator()(const StudyPaused&) const {
    return study.state == StudyState::running ? Why() : "the study is not running";
  }
  Why operator()(const GateDecided& e) const {
    for (const GateRecord& record : study.gates) {
      if (record.gate.id != e.gate) continue;
      if (!record.decided) return {};
      return fmt::format("gate {} was {} already", e.gate, record.approved ? "approved" : "rejected");
    }
    return "there is no gate " + e.gate;
  }
  Why operator()(const StudyConcluded& e) const {
    if (e.outcome == StudyOutcome::cancelled) {
      if (!study.live.empty()) return "runs of the study are still live";
      if (study.thinking.under_way > 0) return "models are still asked for it";
    }
    if (e.outcome != StudyOutcome::concluded || study.spec.captured() || keeps_original(study)) return {};
    if (Why why = at(Phase::concluding, ReasonCode::step_conclusion)) return why;
    const auto tested = std::ranges::count_if(study.hypotheses,
                                              [](const HypothesisRecord& record) { return record.withdrawn.empty(); });
    if (static_cast<std::ptrdiff_t>(study.claims.size()) < tested) return Reason{ReasonCode::claims_missing};
    return {};
  }
  Why operator()(const PicturesDrawn&) const {
    return study.pictures ? Why("the pictures are drawn already") : at(Phase::packaging, ReasonCode::step_artifact);
  }
  Why operator()(const ArtifactPackaged&) const { return at(Phase::packaging, ReasonCode::step_artifact); }
  Why operator()(const StudyEnded&) const { return at(Phase::packaging, ReasonCode::step_artifact); }

  // Runs.
  Why operator()(const RunsQueued& e) const {
    const bool retries = std::ranges::any_of(e.runs, [](const PlannedRun& r) { return r.retry_of > 0; });
    const Experiment* of = e.purpose == Purpose::registered && !retries ? study.experiment(e.experiment) : nullptr;
    if (!of || of->planned == static_cast<int>(of->going_on.size())) return {};
    return fmt::format("more runs of {} than it registered a look for", e.experiment);
  }
  Why operator()(const RunStarting& e) const {
    const Run* run = study.run(e.run);
    if (run && run->state == RunState::queued && study.state == StudyState::running) return {};
    return study.run_id(e.run) + " is not waiting to start";
  }
  Why operator()(const RunCancellationRequested& e) const {
    const Run* run = study.run(e.run);
    if (!run) return "there is no run " + study.run_id(e.run);
    if (run->ended()) return fmt::format("{} has ended ({})", study.run_id(e.run), name(run->state));
    return study.to_kill.contains(e.run) ? study.run_id(e.run) + " is being cancelled already" : Why();
  }

  // Hypotheses and experiments.
  Why operator()(const HypothesisProposed& e) const {
    if (Why why = at(Phase::proposing, ReasonCode::step_hypothesis)) return why;
    if (study.hypothesis(e.hypothesis.id))
      return Reason{ReasonCode::hypothesis_exists, {{"hypothesis", e.hypothesis.id.text()}}};
    if (e.exploratory == family_is_full(study) && e.batch == study.batch.number) return {};
    return fmt::format("hypothesis {} is said to be {} in batch {}", e.hypothesis.id,
                       e.exploratory ? "exploratory" : "within the family", e.batch);
  }
  Why operator()(const ProposalsClosed& e) const {
    if (Why why = at(Phase::proposing, ReasonCode::step_close_proposals)) return why;
    // A later batch may be empty.
    if (study.open_batch().empty() && study.batch.number == 1) return Reason{ReasonCode::nothing_proposed};
    if (e.family < 1) return Reason{ReasonCode::family_without_slot};
    if (study.family > 0 && e.family != study.family)
      return Reason{ReasonCode::family_was_fixed, {{"family", study.family}}};
    return {};
  }
  Why operator()(const BatchOpened& e) const {
    const bool anew = !study.experiments.empty() && study.experiments.back().amended && study.open_batch().empty();
    if (!anew) {
      if (Why why = at(Phase::concluding, ReasonCode::step_batch)) return why;
      if (study.spec.kind != StudyKind::test) return "what a search carries forward is one batch";
      if (!study.claims.empty()) return "the claims are being written: the verdicts stand";
    }
    return e.batch == study.batch.number + 1 ? Why() : "a batch out of order";
  }
  Why operator()(const HypothesisWithdrawn& e) const {
    const HypothesisRecord* record = study.hypothesis(e.hypothesis);
    if (!record) return "there is no hypothesis " + e.hypothesis;
    if (!record->withdrawn.empty()) return "hypothesis " + e.hypothesis + " was withdrawn already";
    if (record->result) return "hypothesis " + e.hypothesis + " has its verdict, which is final";
    if (study.cancelling || study.outcome) return "the study concludes already";
    const Experiment* of = study.experiment(record->experiment);
    if ((of && of->amended && e.runs.empty()) || e.runs == needless_runs(study, *record)) return {};
    return "other runs are given up than those that serve it alone";
  }
  Why operator()(const WorkspaceAmended& e) const {
    const Phase phase = study.phase();
    if (study.spec.kind != StudyKind::test)
      return "the plan of a search was registered for the code as it was: run the study anew";
    if (phase != Phase::preparing && phase != Phase::proposing && phase != Phase::checking && phase != Phase::sizing &&
        phase != Phase::registering && phase != Phase::measuring)
      return fmt::format("the study is at `{}`: nothing is left to be run on other code", name(phase));
    if (phase == Phase::preparing && !(study.live.empty() && study.queue.empty()))
      return "its environment is being set up: amend the code once that has ended";
    if (Why why = e.workspace.by.empty() ? Why() : Why(refused_engineer(study))) return why;
    for (const HypothesisRecord& record : study.hypotheses)
      if (record.result && record.withdrawn.empty())
        return fmt::format("{} has its verdict on the code as it is: other code is another study",
                           record.hypothesis.id);
    if (Why why = study.experiments.empty() ? Why() : Why(refused_look(study))) return why;
    if (e.workspace.hash == study.workspace.hash) return "the workspace is as it was";
    if (e.setup && !e.workspace.by.empty() && !may_change_setup(study, e.workspace.by))
      return "no person has let it change what the environment is set up from";
    if (protected_hashes(e.workspace) != protected_hashes(study.workspace))
      return "a protected file changed, too: with another evaluator it is another study";
    const Experiment* const last = open_experiment(study);
    const ExperimentId open = last ? last->registration.experiment : "";
    if (e.experiment != open) return "the code is amended, and another experiment was open";
    if (e.runs != waiting_runs(study)) return "the code is amended, and other runs are given up than those that waited";
    if (e.seen == values_seen(study, open)) return {};
    return fmt::format("the code is said to have been amended {} values of {} had been seen",
                       e.seen ? "after" : "before", open);
  }
  Why operator()(const ManipulationChecked& e) const {
    if (e.skipped)
      return study.asked_smoke || study.check ? belongs_to(study, Phase::checking, ReasonCode::step_check)
                                              : at(Phase::checking, ReasonCode::step_check);
    const bool due = study.phase() == Phase::checking && study.asked_smoke && study.pending_smoke == 0 && !study.check;
    return due ? Why() : belongs_to(study, Phase::checking, ReasonCode::step_judge_check);
  }
  Why operator()(const CodeCompared& e) const {
    const CodeAmendment* change = study.amendment();
    if (!study.comparison_due() || study.pending_comparison > 0) return "there is no code to compare";
    const bool same = change->original == e.original && change->amended == e.amended;
    return same ? Why() : "other code is compared than what was amended";
  }
  Why operator()(const SampleSized&) const {
    if (study.phase() != Phase::sizing || study.pending_pilot > 0)
      return belongs_to(study, Phase::sizing, ReasonCode::step_sizing);
    const bool pilot_first = !study.spec.design.sized_beforehand() && !study.asked_pilot;
    return pilot_first ? Why(Reason{ReasonCode::pilot_comes_first}) : Why();
  }
  Why operator()(const ExperimentRegistered&) const {
    if (Why why = at(Phase::registering, ReasonCode::step_registration)) return why;
    if (Why why = refused_look(study)) return why;
    if (Why why = refused_code(study)) return why;
    return unmet_requirements(study);
  }
  Why operator()(const InterimLook& e) const { return step(e.experiment, AnalysisStep::look, ReasonCode::step_look); }
  Why operator()(const ExperimentAnalysed& e) const {
    return step(e.experiment, AnalysisStep::verdicts, ReasonCode::step_verdicts);
  }

  // Searches.
  Why operator()(const SearchRegistered&) const {
    if (study.phase() != Phase::searching || study.search)
      return belongs_to(study, Phase::searching, ReasonCode::step_register_search);
    if (Why why = why_not_searchable(study.spec)) return why;
    return refused_code(study);
  }
  Why operator()(const RungRanked& e) const {
    if (!study.spec.code) {
      const bool due = study.phase() == Phase::searching && study.search && study.search->pending == 0 &&
                       study.search->ranked.size() != static_cast<std::size_t>(study.search->queued);
      return due ? Why() : belongs_to(study, Phase::searching, ReasonCode::step_rank_rung);
    }
    // Versions that are kept or discarded are read once one of them is to be confirmed.
    if (e.floor && !e.last) return {};
    for (const Candidate& candidate : e.candidates) {
      const auto version = candidate.cell.find(code_factor);
      if (!candidate.kept || version == candidate.cell.end()) continue;
      if (const Reason why = unreviewed(study, version->second); !why.empty())
        return fmt::format("{} is carried forward, and {}", version->second, newest_words(why));
    }
    return {};
  }
  Why operator()(const CodePlanned&) const {
    if (Why why = searching_code()) return why;
    return study.code.over.empty() ? Why() : "the search over code is over";
  }
  Why operator()(const CodeProposed& e) const {
    if (Why why = searching_code()) return why;
    if (!study.code.over.empty()) return "the search is over: " + newest_words(study.code.over);
    const CodeVersion& proposed = e.version;
    const std::vector<CodeVersion>& versions = study.code.versions;
    const auto open = open_steps(study);
    if (std::ranges::none_of(open, [&](const CodeStep* step) { return step->id == proposed.step; }))
      return "there is no open step " + proposed.step;
    if (std::ranges::any_of(versions, [&](const CodeVersion& v) { return v.step == proposed.step; }))
      return "the step has its version already";
    if (proposed.workspace.hash == study.workspace.hash) return "this is the person's own code as it is";
    for (const CodeVersion& version : versions)
      if (version.workspace.hash == proposed.workspace.hash)
        return "this is the same code as version " + version.id + ": try something else";
    if (protected_hashes(proposed.workspace) != protected_hashes(study.workspace))
      return "a protected file changed: files that score the code may not be changed";
    return {};
  }

  // Nodes, claims and the report's words.
  Why operator()(const NodeRecorded& e) const {
    for (const std::string& parent : e.node.parents)
      if (std::ranges::none_of(study.nodes, [&](const Node& n) { return n.id == parent; }))
        return Reason{ReasonCode::no_such_node, {{"node", parent}}};
    return {};
  }
  Why operator()(const ClaimRecorded& e) const {
    const Claim& claim = e.claim;
    const std::map<std::string, ReasonValue> on = {{"hypothesis", claim.hypothesis.text()}};
    if (Why why = at(Phase::concluding, ReasonCode::step_claim)) return why;
    const HypothesisRecord* record = study.hypothesis(claim.hypothesis);
    if (!record || !record->result) return Reason{ReasonCode::claim_without_verdict, on};
    if (!record->withdrawn.empty()) return Reason{ReasonCode::claim_on_withdrawn, on};
    // The verdict decides the status, not the author.
    if (claim.status != claim_status(record->result->verdict))
      return Reason{ReasonCode::claim_against_verdict,
                    {{"hypothesis", claim.hypothesis.text()},
                     {"said", claim.status},
                     {"verdict", words_of(record->result->verdict)}}};
    const auto same = [&](const Claim& other) { return other.hypothesis == claim.hypothesis; };
    return std::ranges::any_of(study.claims, same) ? Reason{ReasonCode::claim_exists, on} : Why();
  }
  Why operator()(const SectionWritten&) const { return at(Phase::concluding, ReasonCode::step_write_up); }
  Why operator()(const RequirementBound& e) const {
    const StudyRequirement* known = study.thinking.requirement(e.requirement.id);
    // The kernel's own requirement is about the newest change of the code.
    const bool same = !known || (known->by == kernel_actor && e.requirement.by == kernel_actor) ||
                      (known->text == e.requirement.text && known->question == e.requirement.question &&
                       known->by == e.requirement.by && known->version == e.requirement.version);
    return same ? Why() : e.requirement.id + " is bound anew, and demands something else";
  }
  Why operator()(const RequirementJudged& e) const { return refused_judgement(study, actor, e.requirement, e.met); }

  // Lines of work.
  Why operator()(const LineOpened& e) const {
    if (Why why = worked_on()) return why;
    return study.thinking.line(e.line) ? "there is a line of work " + e.line + " already" : Why();
  }
  Why operator()(const LineEnded& e) const { return open_line(e.line); }
  Why operator()(const ModelAsked& e) const {
    if (Why why = open_line(e.line)) return why;
    const ModelCall* last = study.thinking.call(study.thinking.line(e.line)->last_call);
    return last && last->state == CallState::asked ? Reason{ReasonCode::line_waits_for_reply, {{"line", e.line}}}
                                                   : Why();
  }
  Why waits_for_reply(int number) const {
    const ModelCall* call = study.thinking.call(number);
    return call && call->state == CallState::asked ? Why() : fmt::format("call {} waits for no reply", number);
  }
  Why operator()(const ModelAnswered& e) const { return waits_for_reply(e.call); }
  Why operator()(const CallBatched& e) const { return waits_for_reply(e.call); }
  Why operator()(const ToolReturned& e) const {
    const ModelCall* call = study.thinking.call(e.call);
    if (!call || call->state != CallState::answered) return fmt::format("call {} has no reply", e.call);
    const auto same = [&](const ToolReturn& one) { return one.id == e.answer.id; };
    return std::ranges::any_of(call->tools, same) ? "the tool call " + e.answer.id + " was answered already" : Why();
  }

  /// These events have no precondition.
  template <OneOf<StudyResumed, StudySteered, StudyForked, CancellationRequested, GateOpened, RunStarted, RunRequeued,
                  RunEnded, ArmStopped, IntegrityFound, NoteTaken>
                Free>
  Why operator()(const Free&) const {
    return {};
  }
};

}  // namespace

std::optional<Rejection> cannot_follow(const Study& before, const EventBody& body, const std::string& actor) {
  return std::visit(Preconditions{before, actor}, body);
}

}  // namespace kernel
