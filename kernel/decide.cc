#include "kernel/decide.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernel/analyse.h"
#include "kernel/binding.h"
#include "kernel/cache.h"
#include "kernel/codec.h"
#include "kernel/design.h"
#include "kernel/digest.h"
#include "kernel/evaluator.h"
#include "kernel/gates.h"
#include "kernel/integrity.h"
#include "kernel/manipulation.h"
#include "kernel/predecessors.h"
#include "kernel/run_report.h"
#include "kernel/search.h"
#include "kernel/search_nodes.h"
#include "kernel/shapes.h"
#include "kernel/stages.h"

namespace kernel {

namespace {

constexpr std::size_t most_words = 4000;

std::string numbered(char letter, std::size_t n) {
  return fmt::format("{}{:02}", letter, n);
}

struct Judge {
  const State& state;
  const Command& command;
  Time now;

  // Handlers below see an open study; OpenStudy alone does not need one.
  const Study* study = nullptr;
  std::vector<Event> events{};

  void emit(EventBody body) { events.push_back({command.study, command.actor, now, std::move(body)}); }
  Decision done() { return std::move(events); }

  void emit_node(Node node) {
    std::size_t recorded = study ? study->nodes.size() : 0;
    for (const Event& e : events) recorded += std::holds_alternative<NodeRecorded>(e.body) ? 1 : 0;
    node.id = numbered('N', recorded + 1);
    node.time_ms = now.wall_ms;
    emit(NodeRecorded{std::move(node)});
  }

  Decision need(Stage stage, const char* what) const {
    return Rejection{
        fmt::format("{} belongs to the stage `{}`; the study is at `{}`", what, name(stage), name(study->stage()))};
  }

  Decision operator()(const OpenStudy& c) {
    if (study) return Rejection{"study " + command.study + " exists already"};
    emit(c.study);
    Node question;
    question.type = NodeType::question;
    question.title = c.study.spec.title;
    question.fields["description"] = c.study.spec.question;
    emit_node(std::move(question));
    return done();
  }

  Decision operator()(const ForkStudy& c) {
    if (study) return Rejection{"study " + command.study + " exists already"};
    events = c.events;
    State past;
    for (const Event& event : events) apply(past, event);
    const std::set<int>& live = past.study(command.study)->live;
    emit(StudyForked{c.from, c.seq, c.head, {live.begin(), live.end()}, c.looks});
    return done();
  }

  Decision operator()(const ProposeHypothesis& c) {
    if (study->stage() != Stage::proposing) return need(Stage::proposing, "a hypothesis");
    if (study->hypothesis(c.hypothesis.id)) return Rejection{"hypothesis " + c.hypothesis.id + " exists already"};
    if (!study->spec.metric(c.hypothesis.metric)) return Rejection{"there is no metric " + c.hypothesis.metric};
    if (cells_of(study->spec, c.hypothesis).empty())
      return Rejection{"no cell is left for hypothesis " + c.hypothesis.id + " after the constraints"};
    if (study->spec.kind != StudyKind::test && !is_selected(*study, c.hypothesis))
      return Rejection{"hypothesis " + c.hypothesis.id + " is none of those that the search carries forward"};
    if (std::string why = repeats_dead_end(*study, c.hypothesis); !why.empty())
      return Rejection{"hypothesis " + c.hypothesis.id + " repeats a dead end: " + why};
    // Beyond the family nothing can be supported, only explored.
    const std::optional<int>& family = study->spec.design.family;
    Hypothesis hypothesis = c.hypothesis;
    if (const std::string refusal = bind_words(*study, command.actor, hypothesis); !refusal.empty())
      return Rejection{fmt::format("hypothesis {} does not pass: {}", hypothesis.id, refusal)};
    emit(HypothesisProposed{std::move(hypothesis), 1, family && static_cast<int>(study->hypotheses.size()) >= *family});
    return done();
  }

  Decision operator()(const CloseProposals& c) {
    if (study->stage() != Stage::proposing) return need(Stage::proposing, "closing the proposals");
    if (study->hypotheses.empty()) return Rejection{"no hypothesis has been proposed"};
    if (study->spec.kind != StudyKind::test &&
        (study->hypotheses.size() != selected_hypotheses(*study).size() || c.family != study->search->plan.top))
      return Rejection{"what the search carries forward is confirmed as a whole, in the family that was registered"};
    if (c.family < 1) return Rejection{"a family has at least one slot"};
    emit(ProposalsClosed{c.family});
    return done();
  }

  Decision operator()(const RequestSetup&) {
    if (study->stage() != Stage::preparing || !study->queue.empty() || !study->live.empty())
      return need(Stage::preparing, "setting up the environment");
    if (!study->runs.empty()) {
      const Run& last = study->runs.back();
      const std::string why = fmt::format("the set-up ({}) failed: {}", study->run_id(last.number), last.reason);
      emit(StudyConcluded{StudyOutcome::failed, why});
      emit_node(dead_end("The environment could not be set up", "environment.setup did not succeed", why,
                         "Nothing was measured."));
      return done();
    }
    RunsQueued queued;
    queued.purpose = Purpose::scratch;
    queued.cells = {{}};
    PlannedRun run;
    run.number = 1;
    run.replicate = 1;
    run.stage = study->spec.setup->name;
    queued.runs = {std::move(run)};
    emit(std::move(queued));
    return done();
  }

  Decision operator()(const RequestSmoke&) {
    if (study->stage() != Stage::checking || study->asked_smoke) return need(Stage::checking, "the manipulation check");
    if (study->spec.design.smoke)
      emit(smoke_runs(*study));
    else
      emit(ManipulationChecked{true, {}});
    return done();
  }

  Decision operator()(const JudgeManipulation&) {
    if (study->stage() != Stage::checking || !study->asked_smoke || study->pending_smoke > 0)
      return need(Stage::checking, "judging the manipulation check");
    emit(judge_manipulation(*study));
    return done();
  }

  Decision operator()(const RegisterSearch&) {
    if (study->stage() != Stage::searching || study->search) return need(Stage::searching, "registering a search");
    if (const std::string why = why_not_searchable(study->spec); !why.empty()) return Rejection{why};
    SearchPlan plan = search_plan(*study);
    const std::string hash = sha256_hex(canonical(plan));
    Node node = search_node(*study, plan);
    node.fields["registration"] = hash;
    emit(SearchRegistered{std::move(plan), hash});
    emit_node(std::move(node));
    return done();
  }

  Decision operator()(const QueueRung&) {
    const std::optional<Search>& search = study->search;
    if (study->stage() != Stage::searching || !search ||
        search->ranked.size() != static_cast<std::size_t>(search->queued))
      return need(Stage::searching, "the runs of a rung");
    emit(next_rung(*study));
    return done();
  }

  Decision operator()(const RankRung&) {
    const std::optional<Search>& search = study->search;
    if (study->stage() != Stage::searching || !search || search->pending > 0 ||
        search->ranked.size() == static_cast<std::size_t>(search->queued))
      return need(Stage::searching, "ranking a rung");
    RungRanked ranked = rank_rung(*study);
    std::vector<Node> dropped = dropped_nodes(*study, ranked);
    const bool nothing = ranked.last && nothing_kept(ranked);
    emit(std::move(ranked));
    for (Node& node : dropped) emit_node(std::move(node));
    if (nothing)
      emit(StudyConcluded{StudyOutcome::failed, "no candidate had a run that succeeded: nothing to confirm"});
    return done();
  }

  Decision operator()(const RequestPilot&) {
    if (study->stage() != Stage::sizing || study->asked_pilot) return need(Stage::sizing, "a pilot");
    if (study->spec.design.sized_beforehand())
      return Rejection{"the replicates are fixed: there is nothing for a pilot to size"};
    emit(pilot_runs(*study));
    return done();
  }

  Decision operator()(const SizeSample&) {
    if (study->stage() != Stage::sizing || study->pending_pilot > 0) return need(Stage::sizing, "sizing");
    if (!study->spec.design.sized_beforehand() && !study->asked_pilot)
      return Rejection{"the pilot comes before the sizing"};
    emit(size_sample(*study));
    return done();
  }

  Decision operator()(const RegisterExperiment& c) {
    if (study->stage() != Stage::registering) return need(Stage::registering, "a registration");
    for (const std::string& id : c.hypotheses)
      if (!study->hypothesis(id)) return Rejection{"there is no hypothesis " + id};
    if (c.hypotheses.size() != study->hypotheses.size())
      return Rejection{"every proposed hypothesis of the batch is registered together"};
    if (std::string refused = refused_look(*study); !refused.empty()) return Rejection{std::move(refused)};
    Registration registration = registration_of(*study, c.hypotheses);
    const std::string hash = sha256_hex(canonical(registration));
    Node node;
    node.type = NodeType::experiment;
    node.experiment = registration.experiment;
    node.title = fmt::format("{}: {} hypotheses, {} cells", registration.experiment, registration.hypotheses.size(),
                             registration.cells.size());
    node.parents = {study->nodes.back().id};
    node.fields["registration"] = hash;
    RunsQueued runs = registered_runs(*study, registration);
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

  Decision operator()(const AnalyseExperiment& c) {
    if (study->stage() != Stage::analysing) return need(Stage::analysing, "an analysis");
    for (const Experiment& e : study->experiments) {
      if (e.registration.experiment != c.experiment || e.analysed) continue;
      for (IntegrityFound& found : integrity(*study, e)) emit(std::move(found));
      emit(analyse(*study, e));
      return done();
    }
    return Rejection{"there is no experiment " + c.experiment + " to analyse"};
  }

  Decision operator()(const RecordNode& c) {
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

  Decision operator()(const RecordClaim& c) {
    if (study->stage() != Stage::concluding) return need(Stage::concluding, "a claim");
    const HypothesisRecord* record = study->hypothesis(c.claim.hypothesis);
    if (!record || !record->result) return Rejection{"claim on " + c.claim.hypothesis + ": it has no verdict"};
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

  Decision operator()(const Conclude&) {
    if (study->stage() == Stage::cancelling) {
      if (!study->live.empty()) return Rejection{"runs of " + command.study + " still live"};
      emit(StudyConcluded{StudyOutcome::cancelled, study->cancel_why});
      return done();
    }
    if (study->stage() != Stage::concluding) return need(Stage::concluding, "the conclusion");
    if (study->claims.size() != study->hypotheses.size()) return Rejection{"every hypothesis needs its claim first"};
    const bool any = std::any_of(study->runs.begin(), study->runs.end(),
                                 [](const Run& run) { return run.evidence() && run.state == RunState::succeeded; });
    emit(any ? StudyConcluded{StudyOutcome::concluded, ""}
             : StudyConcluded{StudyOutcome::failed, "no registered run succeeded"});
    return done();
  }

  Decision operator()(const StartRun& c) {
    const Run* run = study->run(c.run);
    if (!run || run->state != RunState::queued || study->state != StudyState::running)
      return Rejection{study->run_id(c.run) + " is not waiting to start"};
    int beside = 0;
    for (const auto& [id, other] : state.studies) beside += static_cast<int>(other.live.size());
    emit(RunStarting{c.run, c.token, c.lease, beside});
    return done();
  }

  Decision operator()(const ReportStart& c) {
    const Run* run = study->run(c.run);
    if (!run || run->state != RunState::starting || run->token != c.token)
      return Rejection{study->run_id(c.run) + " was not starting under that token"};
    emit(RunStarted{c.run});
    return done();
  }

  Decision operator()(const ReportEnd& c) {
    const Run* run = study->run(c.run);
    if (!run || !study->live.contains(c.run) || run->token != c.outcome.token)
      return Rejection{study->run_id(c.run) + " has no live job under that token"};
    for (EventBody& body : judge_run(*study, *run, c)) emit(std::move(body));
    if (c.outcome.end == JobEnd::no_room && study->state == StudyState::running && !study->cancelling)
      emit(StudyPaused{"disk", c.outcome.reason});
    return done();
  }

  Decision operator()(const BringBack& c) {
    const Run* run = study->run(c.record.run);
    if (!run || run->state != RunState::queued || study->state != StudyState::running || !may_come_back(*study, *run))
      return Rejection{study->run_id(c.record.run) + " is not to come back"};
    RunEnded ended = c.record;
    // Nothing was used here; when and how long the other ran is its own record.
    ended.outcome.run = study->run_id(run->number);
    ended.outcome.token.clear();
    ended.outcome.usage = {};
    ended.outcome.started_ms = ended.outcome.ended_ms = 0;
    emit(std::move(ended));
    return done();
  }

  Decision operator()(const Pause& c) {
    if (study->state != StudyState::running) return Rejection{"study " + command.study + " is not running"};
    if (study->stage() == Stage::packaging || study->cancelling)
      return Rejection{"study " + command.study + " has only its artifact left to make"};
    emit(StudyPaused{c.reason, c.detail});
    return done();
  }

  Decision operator()(const Resume& c) {
    if (study->state == StudyState::ended) return Rejection{command.study + " has ended"};
    emit(StudyResumed{c.boot_id, c.jobs, c.raised});
    return done();
  }

  Decision operator()(const Cancel& c) {
    if (study->cancelling) return Rejection{"study " + command.study + " is being cancelled already"};
    if (study->stage() == Stage::packaging)
      return Rejection{"study " + command.study + " has concluded: only its artifact is left to make"};
    cancel(c.why);
    return done();
  }

  void cancel(const std::string& why) {
    std::vector<int> waiting(study->queue.begin(), study->queue.end());
    waiting.insert(waiting.end(), study->blocked.begin(), study->blocked.end());
    emit(CancellationRequested{why, std::move(waiting)});
    emit_node(dead_end("Cancelled: " + why, "cancelled by a person before it concluded", why,
                       "Nothing is concluded from a study that was cancelled."));
  }

  Node dead_end(std::string title, std::string mode, std::string why, std::string lesson) const {
    Node node;
    node.type = NodeType::dead_end;
    node.title = std::move(title);
    node.parents = {study->nodes.back().id};
    node.fields["hypothesis"] = study->spec.question;
    node.fields["failure_mode"] = std::move(mode);
    node.fields["why_failed"] = std::move(why);
    node.fields["lesson"] = std::move(lesson);
    return node;
  }

  Decision operator()(const CancelRun& c) {
    const Run* run = study->run(c.run);
    if (!run) return Rejection{"there is no run " + study->run_id(c.run)};
    if (run->ended()) return Rejection{fmt::format("{} has ended ({})", study->run_id(c.run), name(run->state))};
    if (study->to_kill.contains(c.run)) return Rejection{study->run_id(c.run) + " is being cancelled already"};
    if (study->live.contains(c.run)) {
      emit(RunCancellationRequested{c.run});
      return done();
    }
    RunEnded ended;
    ended.run = c.run;
    ended.state = RunState::cancelled;
    ended.outcome.end = JobEnd::cancelled;
    ended.reason = "cancelled by a person before it started";
    std::vector<RunEnded> further = ends_of_dependants(*study, *run, ended.state, ended.reason);
    emit(std::move(ended));
    for (RunEnded& end : further) emit(std::move(end));
    return done();
  }

  Decision operator()(const Steer& c) {
    if (c.text.empty()) return Rejection{"there is nothing to say"};
    if (c.text.size() > most_words) return Rejection{fmt::format("more than {} bytes are no hint", most_words)};
    emit(StudySteered{c.text});
    return done();
  }

  Decision operator()(const OpenGate& c) {
    if (due_gate(*study, now) != c.position) return Rejection{"that gate is not due"};
    const GateSpec& spec = study->spec.gates[static_cast<std::size_t>(c.position)];
    emit(GateOpened{
        {fmt::format("{}-g{}", study->id, study->gates.size() + 1), c.position, spec.on, gate_question(*study, spec)}});
    return done();
  }

  Decision operator()(const DecideGate& c) {
    for (const GateRecord& record : study->gates) {
      if (record.gate.id != c.gate) continue;
      if (record.decided)
        return Rejection{fmt::format("gate {} was {} already", c.gate, record.approved ? "approved" : "rejected")};
      emit(GateDecided{c.gate, c.approve, c.why});
      if (!c.approve) cancel(fmt::format("gate {} was rejected{}", c.gate, c.why.empty() ? "" : ": " + c.why));
      return done();
    }
    return Rejection{"there is no gate " + c.gate};
  }

  Decision operator()(const ReportPackage& c) {
    if (study->stage() != Stage::packaging) return need(Stage::packaging, "an artifact");
    if (c.no_room) {
      emit(StudyPaused{"disk", c.failure});
      return done();
    }
    if (!c.failure.empty()) {
      emit(StudyEnded{StudyOutcome::failed, "packaging failed: " + c.failure});
      return done();
    }
    emit(ArtifactPackaged{c.path, c.report, c.head});
    emit(StudyEnded{*study->outcome, study->outcome_detail});
    return done();
  }
};

}  // namespace

Decision decide(const State& state, const Command& command, Time now) {
  const Study* study = state.study(command.study);
  const bool opens = std::holds_alternative<OpenStudy>(command.body) || std::holds_alternative<ForkStudy>(command.body);
  if (!study && !opens) return Rejection{"there is no open study " + command.study};
  if (study && study->state == StudyState::ended && !opens) return Rejection{"study " + command.study + " has ended"};
  return std::visit(Judge{state, command, now, study, {}}, command.body);
}

}  // namespace kernel
