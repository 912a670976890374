#include "kernel/decide/decider.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/decide/preconditions.h"
#include "kernel/runs/run_keys.h"
#include "kernel/runs/run_outcome.h"
#include "kernel/search/search.h"
#include "kernel/study/gates.h"
#include "kernel/wording/wording.h"

namespace kernel {

namespace {

constexpr std::size_t most_words = 4000, most_named_secrets = 5;

}  // namespace

std::string numbered(char letter, std::size_t n) {
  return fmt::format("{}{:02}", letter, n);
}

void Decider::emit(EventBody body) {
  events.push_back({command.study, command.actor, now, std::move(body)});
}

Decision Decider::done(CommandOutcome outcome) {
  return {std::move(events), std::move(outcome)};
}

Decision Decider::record(EventBody body) {
  emit(std::move(body));
  return done();
}

Decision Decider::record_if_allowed(EventBody body) {
  if (const auto why = against(body)) return *why;
  return record(std::move(body));
}

void Decider::emit_node(Node node) {
  std::size_t recorded = study ? study->nodes.size() : 0;
  for (const Event& e : events) recorded += std::holds_alternative<NodeRecorded>(e.body) ? 1 : 0;
  node.id = numbered('N', recorded + 1);
  node.time_ms = now.wall_ms;
  emit(NodeRecorded{std::move(node)});
}

Decision Decider::need(Phase phase, ReasonCode what) const {
  return rejected(belongs_to(*study, phase, what));
}

std::optional<Rejection> Decider::against(const EventBody& event) const {
  return cannot_follow(*study, event, command.actor);
}

Decision Decider::operator()(const OpenStudy& c) {
  if (study) return Rejection{"the study exists already"};
  emit(c.study);
  Node question;
  question.type = NodeType::question;
  question.title = c.study.spec.title;
  question.fields["description"] = c.study.spec.question;
  emit_node(std::move(question));
  return done();
}

Decision Decider::operator()(const ForkStudy& c) {
  if (study) return Rejection{"the study exists already"};
  events = c.events;
  State past;
  for (const Event& event : events) apply(past, event);
  const Study& fork = *past.study(command.study);
  const std::set<int> to_kill = fork.to_kill;
  emit(StudyForked{c.from, c.seq, c.head, {fork.live.begin(), fork.live.end()}, c.looks, c.predecessors, c.slots});
  apply(past, events.back());
  // What was to be killed then does not run again here.
  for (const int run : to_kill) {
    if (fork.run(run)->ended()) continue;
    const std::size_t before = events.size();
    end_waiting(fork, run);
    for (std::size_t i = before; i < events.size(); ++i) apply(past, events[i]);
  }
  // The first study takes replies up from their batches.
  const auto all = [](const LineOfWork&, const ModelCall&) { return true; };
  give_up_calls(fork, all, {ReasonCode::study_forked_before_reply});
  return done();
}

Decision Decider::operator()(const RequestSetup&) {
  if (study->phase() != Phase::preparing || !study->queue.empty() || !study->live.empty())
    return need(Phase::preparing, ReasonCode::step_setup);
  const auto last = std::find_if(study->runs.rbegin(), study->runs.rend(), [&](const Run& run) {
    return run.stage == study->spec.setup->name && run.number > study->batch.amended_at;
  });
  if (last != study->runs.rend()) {
    Reason why = {ReasonCode::setup_failed,
                  {{"run", study->run_id(last->number)}, {"reason", std::vector{last->reason}}}};
    if (study->batch.amended_at > 0) {
      why.code = ReasonCode::setup_to_mend;
      why.values["study"] = study->id;
      return record(StudyPaused{PauseReason::setup, std::move(why)});
    }
    emit(StudyConcluded{StudyOutcome::failed, why});
    emit_node(dead_end({ReasonCode::environment_not_set_up}, {ReasonCode::setup_did_not_succeed}, why,
                       {ReasonCode::nothing_measured}));
    return done();
  }
  RunsQueued queued;
  queued.purpose = Purpose::scratch;
  queued.cells = {{}};
  PlannedRun run;
  run.number = static_cast<int>(study->runs.size()) + 1;
  run.replicate = 1;
  run.stage = study->spec.setup->name;
  queued.runs = {std::move(run)};
  return record(std::move(queued));
}

Decision Decider::operator()(const StartRun& c) {
  RunStarting starting{c.run, c.token, c.lease};
  if (const auto why = against(starting)) return *why;
  for (const auto& [id, other] : state.studies) {
    const int live = static_cast<int>(other.live.size());
    // One that starts in turn takes the place of another.
    starting.beside += id == study->id ? std::min(live, study->jobs - 1) : live;
  }
  return record(std::move(starting));
}

Decision Decider::operator()(const ReportStart& c) {
  const Run* run = study->run(c.run);
  if (!run || run->state != RunState::starting || run->token != c.token)
    return Rejection{study->run_id(c.run) + " was not starting under that token"};
  return record(RunStarted{c.run});
}

Decision Decider::operator()(const ReportEnd& c) {
  const Run* run = study->run(c.run);
  if (!run || !study->live.contains(c.run) || run->token != c.outcome.token)
    return Rejection{study->run_id(c.run) + " has no live job under that token"};
  for (EventBody& body : judge_run(*study, *run, c)) emit(std::move(body));
  if (c.outcome.end == JobEnd::no_room && study->state == StudyState::running && !study->cancelling)
    emit(StudyPaused{PauseReason::disk, c.outcome.reason});
  return done();
}

Decision Decider::operator()(const ReuseRun& c) {
  const Run* run = study->run(c.record.run);
  if (!run || run->state != RunState::queued || study->state != StudyState::running || !may_reuse(*study, *run))
    return Rejection{study->run_id(c.record.run) + " is not to come back"};
  RunEnded ended = c.record;
  // This run used nothing; the other run's record has its own time and usage.
  ended.outcome.run = study->run_id(run->number);
  ended.outcome.token = {};
  ended.outcome.usage = {};
  ended.outcome.started_ms = ended.outcome.ended_ms = 0;
  return record(std::move(ended));
}

Decision Decider::operator()(const Pause& c) {
  StudyPaused paused{c.reason, c.detail};
  if (const auto why = against(paused)) return *why;
  if (study->phase() == Phase::capturing && c.reason == PauseReason::interrupted && study->live.empty() &&
      study->queue.empty())
    return Rejection{"nothing of the study runs"};
  if (c.reason != PauseReason::gate && (study->phase() == Phase::packaging || study->cancelling))
    return Rejection{"the study has only its artifact left to make"};
  return record(std::move(paused));
}

Decision Decider::operator()(const Resume& c) {
  if (study->state == StudyState::ended) return Rejection{"the study has ended"};
  return record(StudyResumed{c.boot_id, c.jobs, c.raised, c.priority});
}

Decision Decider::operator()(const Cancel& c) {
  if (study->cancelling) return Rejection{"the study is being cancelled already"};
  if (study->phase() == Phase::packaging)
    return Rejection{"the study has concluded: only its artifact is left to make"};
  cancel(as_said(c.why));
  return done();
}

void Decider::cancel(const Reason& why) {
  emit(CancellationRequested{why, waiting_runs(*study)});
  const auto in_batch = [](const LineOfWork&, const ModelCall& call) { return call.in_batch(); };
  give_up_calls(*study, in_batch, {ReasonCode::reply_not_awaited});
  emit_node(dead_end({ReasonCode::cancelled_because, {{"why", std::vector{why}}}}, {ReasonCode::cancelled_by_person},
                     why, {ReasonCode::nothing_from_cancelled}));
}

Node Decider::dead_end(Reason title, Reason mode, Reason why, Reason lesson) const {
  Node node = dead_end_node({study->nodes.back().id}, study->spec.question);
  state_text(node, "title", std::move(title));
  state_text(node, "failure_mode", std::move(mode));
  state_text(node, "why_failed", std::move(why));
  state_text(node, "lesson", std::move(lesson));
  return node;
}

Decision Decider::operator()(const CancelRun& c) {
  if (const auto why = against(RunCancellationRequested{c.run})) return *why;
  if (study->live.contains(c.run)) return record(RunCancellationRequested{c.run});
  end_waiting(*study, c.run);
  return done();
}

void Decider::end_waiting(const Study& of, int run) {
  RunEnded ended;
  ended.run = run;
  ended.state = RunState::cancelled;
  ended.outcome.end = JobEnd::cancelled;
  ended.reason = {ReasonCode::cancelled_before_start};
  std::vector<RunEnded> further = ends_of_dependants(of, *of.run(run), ended.state, ended.reason);
  emit(std::move(ended));
  for (RunEnded& end : further) emit(std::move(end));
}

Decision Decider::operator()(const Steer& c) {
  if (c.text.empty()) return Rejection{"there is nothing to say"};
  if (c.text.size() > most_words) return Rejection{fmt::format("more than {} bytes are no hint", most_words)};
  return record(StudySteered{c.text});
}

Decision Decider::operator()(const OpenGate& c) {
  if (due_gate(*study, now) != c.position) return Rejection{"that gate is not due"};
  const GateSpec& spec = study->spec.gates[static_cast<std::size_t>(c.position)];
  return record(GateOpened{{next_gate(*study), c.position, spec.on, gate_question(*study, spec)}});
}

Decision Decider::operator()(const DecideGate& c) {
  GateDecided decided{c.gate, c.approve, c.why, c.edited};
  if (const auto why = against(decided)) return *why;
  const Gate& gate =
      std::ranges::find_if(study->gates, [&](const GateRecord& record) { return record.gate.id == c.gate; })->gate;
  const bool of_call = gate.call > 0;
  if (!c.edited.empty()) {
    if (!of_call || gate.on == GateOn::question || !c.approve)
      return Rejection{"only what a tool is to be used with can be changed, and then approved"};
    if (!nlohmann::json::parse(c.edited, nullptr, false).is_object())
      return Rejection{"what a tool is used with is one JSON object"};
  }
  if (gate.on == GateOn::question && c.approve && c.why.empty())
    return Rejection{"the agent waits for an answer in words (--why)"};
  emit(std::move(decided));
  if (!c.approve && !of_call && gate.on != GateOn::secrets)
    cancel(c.why.empty() ? Reason{ReasonCode::gate_rejected, {{"gate", c.gate}}}
                         : Reason{ReasonCode::gate_rejected_because, {{"gate", c.gate}, {"why", std::vector{c.why}}}});
  return done();
}

Decision Decider::operator()(const ReportPictures& c) {
  if (!c.secrets.empty()) {
    if (const auto why = against(PicturesDrawn{})) return *why;
    if (gate_of_secrets(*study)) return Rejection{"a person was asked already"};
    Gate gate;
    gate.id = next_gate(*study);
    gate.position = Gate::unlisted;
    gate.on = GateOn::secrets;
    auto paths = nlohmann::json::array();
    std::string named;
    for (const auto& [path, what] : c.secrets) {
      if (paths.size() < most_named_secrets) named += fmt::format("{}`{}` ({})", paths.empty() ? "" : ", ", path, what);
      paths.push_back(path);
    }
    if (paths.size() > most_named_secrets) named += fmt::format(" and {} more", paths.size() - most_named_secrets);
    gate.arguments = paths.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    gate.what = {ReasonCode::gate_secrets,
                 {{"files", std::move(named)}, {"number", static_cast<std::int64_t>(paths.size())}}};
    return record(GateOpened{std::move(gate)});
  }
  return record_if_allowed(PicturesDrawn{c.files, c.trouble});
}

Decision Decider::operator()(const ReportPackage& c) {
  ArtifactPackaged packaged{c.path, c.report, c.head};
  if (const auto why = against(packaged)) return *why;
  if (c.no_room) return record(StudyPaused{PauseReason::disk, c.failure});
  if (!c.failure.empty())
    return record(
        StudyEnded{StudyOutcome::failed, {ReasonCode::packaging_failed, {{"problem", std::vector{c.failure}}}}});
  emit(std::move(packaged));
  return record(StudyEnded{*study->outcome, study->outcome_detail});
}

namespace {

/// Whether the command would act on runs or hypotheses, or look at more runs.
bool acts_on_experiment(const CommandBody& body) {
  return std::holds_alternative<AmendWorkspace>(body) || std::holds_alternative<WithdrawHypothesis>(body) ||
         std::holds_alternative<OrderScratch>(body) || std::holds_alternative<ProposeHypothesis>(body) ||
         std::holds_alternative<CancelRun>(body) || std::holds_alternative<Cancel>(body) ||
         std::holds_alternative<Pause>(body);
}

/// Whether a person judges code that an agent changed. This is allowed after the study has ended, too.
bool reviews_agents_code(const Study& study, const Command& command) {
  const auto* judges = std::get_if<JudgeRequirement>(&command.body);
  const StudyRequirement* about = judges ? study.thinking.requirement(judges->requirement) : nullptr;
  return about && is_person(command.actor) && !about->stated.empty();
}

}  // namespace

Decision decide(const State& state, const Command& command, const Occasion& occasion) {
  const Study* study = state.study(command.study);
  const bool opens = std::holds_alternative<OpenStudy>(command.body) || std::holds_alternative<ForkStudy>(command.body);
  if (!study && !opens) return rejected({ReasonCode::no_open_study});
  const bool ended = study && study->state == StudyState::ended;
  if (ended && !opens && !reviews_agents_code(*study, command)) return rejected({ReasonCode::study_has_ended});
  const Experiment* open = study ? open_experiment(*study) : nullptr;
  if (open && !is_person(command.actor) && command.actor != kernel_actor && acts_on_experiment(command.body))
    return rejected({ReasonCode::registration_open, {{"experiment", open->registration.experiment.text()}}});
  return std::visit(Decider{state, command, occasion.now, occasion.fresh, study, {}}, command.body);
}

}  // namespace kernel
