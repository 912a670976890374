// Commands of agents' conversations: calls to models, whose cost is reserved before a model is asked and whose reply is
// recorded before it is used; and tools other than research: leave, scratch runs, notes, requirements, and sections of
// the report.
#include <algorithm>

#include <fmt/format.h>

#include "kernel/binding/prose_binding.h"
#include "kernel/decide/decider.h"
#include "kernel/decide/preconditions.h"
#include "kernel/design/design.h"
#include "kernel/domain/cells.h"
#include "kernel/search/code_search.h"
#include "kernel/study/gates.h"
#include "kernel/study/ledger.h"
#include "kernel/study/requirements.h"

namespace kernel {

namespace {

constexpr std::size_t most_question = 2000, most_command = 8000, most_note = 4000, most_requirement = 600;
constexpr std::size_t most_notes = 400, most_requirements = 100;
constexpr double longest_scratch_s = 3600;

const char* const other_code =
    "this is not the code that you read: it was amended since, or belongs to another version";

/// The version of the code with this workspace; empty if there is none.
std::string version_with(const StudyTerms& study, const WorkspaceHash& workspace) {
  for (const CodeVersion& version : study.code.versions)
    if (version.workspace.hash == workspace) return version.id;
  return "";
}

/// Why the study's command cannot run at a setting; empty if it can.
std::string no_such_setting(const StudySpec& spec, const Cell& cell) {
  if (!spec.stages.empty()) return "a run of this study goes through stages: order their commands one by one";
  for (const auto& [factor, level] : cell) {
    const Factor* known = spec.factor(factor);
    if (!known) {
      std::string factors;
      for (const Factor& one : spec.factors) factors += (factors.empty() ? "" : ", ") + one.name;
      return fmt::format("there is no factor {}, but {}", factor, factors);
    }
    if (known->level(level)) continue;
    std::string levels;
    for (const Level& one : known->levels) levels += (levels.empty() ? "" : ", ") + one.name;
    return fmt::format("factor {} has no level {}, but {}", factor, level, levels);
  }
  for (const Factor& factor : spec.factors)
    if (!cell.contains(factor.name)) return "a level of " + factor.name + " is missing";
  return is_excluded(spec, cell) ? "the study's constraints exclude that setting" : "";
}

/// The event that would follow the use of the tool.
ToolReturned answer_of(int call, const std::string& tool_call) {
  return {call, {tool_call, "", {}, false}};
}

}  // namespace

Decision Decider::operator()(const AskLeave& c) {
  if (const auto why = against(answer_of(c.call, c.tool_call))) return *why;
  if (study->gate_of(c.call, c.tool_call)) return Rejection{"a person was asked already"};
  Gate gate;
  gate.id = next_gate(*study);
  gate.call = c.call;
  gate.tool_call = c.tool_call;
  gate.tool = c.tool;
  gate.arguments = c.arguments;
  if (c.question.empty()) {
    if (!needs_leave(*study, c.tool)) return Rejection{"no gate stands before " + c.tool};
    gate.position = gate_before_tool(*study, c.tool).value_or(Gate::unlisted);
    gate.on = GateOn::tool;
    gate.what = {ReasonCode::gate_tool, {{"role", command.actor}, {"tool", c.tool}}};
  } else {
    if (c.question.size() > most_question)
      return Rejection{fmt::format("more than {} bytes are no question", most_question)};
    gate.position = Gate::unlisted;
    gate.on = GateOn::question;
    gate.what = as_said(c.question);
  }
  return record(GateOpened{std::move(gate)});
}

RunsQueued scratch_run(const Study& study, const ScratchOrder& order, const std::string& label, const Draw& fresh) {
  RunsQueued queued;
  queued.purpose = Purpose::scratch;
  queued.cells = {order.cell.value_or(Cell{})};
  PlannedRun run;
  run.number = static_cast<int>(study.runs.size()) + 1;
  run.replicate = 1;
  run.label = label;
  if (study.spec.seeds == SeedRule::derived) {
    run.seed = derived_seed(study.spec, Purpose::scratch, run.number);
  } else {
    queued.draw = draw_for(study.spec, fresh, fmt::format("run {}", run.number));
    run.seed = FreshSeeds(study, queued.draw, "scratch").next();
  }
  queued.runs = {std::move(run)};
  queued.order = order;
  return queued;
}

Decision Decider::operator()(const OrderScratch& c) {
  const ScratchOrder& order = c.order;
  if (is_person(command.actor)) return order_by_hand(order);
  if (order.by_hand()) return Rejection{"only a person runs a command by hand"};
  if (const auto why = against(answer_of(order.call, order.tool_call))) return *why;
  if (study->thinking.ordered(order.call, order.tool_call) > 0) return Rejection{"it was ordered already"};
  // In a paused study, the run is queued and waits.
  if (study->cancelling || study->outcome) return Rejection{"the study concludes already"};
  if (order.cell)
    if (std::string why = no_such_setting(study->spec, *order.cell); !why.empty()) return Rejection{std::move(why)};
  if (order.command.empty() || order.command.size() > most_command)
    return Rejection{fmt::format("a command has between 1 and {} bytes", most_command)};
  if (const auto left = study->spec.code ? code_runs_left(*study) : std::nullopt; left && *left < 1)
    return Rejection{"what is left of `budget.runs` is for the confirmation: go on without"};
  const Resources& most = study->spec.resources;
  if (order.resources.gpus > most.gpus)
    return Rejection{fmt::format("the study's runs have {} GPUs each, and no more", most.gpus)};
  if (order.resources.timeout_s.value_or(0) > longest_scratch_s)
    return Rejection{fmt::format("{:.0f} s are the longest that a scratch run may take", longest_scratch_s)};
  return record(scratch_run(*study, order, order.line, fresh));
}

Decision Decider::operator()(const TakeNote& c) {
  if (c.text.empty() || c.text.size() > most_note)
    return Rejection{fmt::format("a note has between 1 and {} bytes", most_note)};
  if (study->thinking.notes.size() >= most_notes)
    return Rejection{fmt::format("there are {} notes already", most_notes)};
  return record(NoteTaken{c.text});
}

Decision Decider::operator()(const BindRequirement& c) {
  StudyRequirement bound = c.requirement;
  if (study->outcome || study->cancelling) return Rejection{"the study concludes already"};
  const std::vector<StudyRequirement>& all = study->thinking.requirements;
  if (bound.id.empty()) {
    if (bound.text.empty() || bound.text.size() > most_requirement)
      return Rejection{fmt::format("a requirement has between 1 and {} bytes", most_requirement)};
    if (all.size() >= most_requirements) return Rejection{fmt::format("there are {} already", most_requirements)};
    bound.id = next_requirement(*study);
    bound.version = bound.question ? "" : version_with(*study, bound.workspace);
  } else {
    const StudyRequirement* known = study->thinking.requirement(bound.id);
    if (!known) return Rejection{"there is no requirement " + bound.id};
    if (known->by == kernel_actor) return Rejection{bound.id + " is the kernel's own: it stays where it is bound"};
    // The demand stays as it was written; only the place that meets it may change.
    bound.text = known->text;
    bound.question = known->question;
    bound.by = known->by;
    bound.version = known->version;
  }
  if (bound.by.empty()) bound.by = command.actor;
  for (const HypothesisId& id : bound.hypotheses)
    if (!study->hypothesis(id)) return Rejection{"there is no hypothesis " + id};
  if (bound.question ? !bound.file.empty() : !bound.hypotheses.empty())
    return Rejection{"a part of the question is answered by hypotheses, one of the method is met by code"};
  if (!bound.question && bound.file.empty() == bound.unmet.empty())
    return Rejection{"say either where the code does it, or why it does not"};
  if (!bound.file.empty() && (bound.from < 1 || bound.to < bound.from)) return Rejection{"the lines are no passage"};
  const WorkspaceHash& meant = code_meant(*study, bound);
  if (!bound.question && !bound.workspace.empty() && bound.workspace != meant) return Rejection{other_code};
  bound.workspace = meant;
  bound.judged = Judgement::open;
  bound.why.clear();
  bound.judge.clear();
  return record(RequirementBound{std::move(bound)});
}

Decision Decider::operator()(const JudgeRequirement& c) {
  // `decide` lets a person's word on an agent's code pass when the study has ended.
  const bool concludes = study->outcome || study->cancelling;
  if (concludes && study->state != StudyState::ended) return Rejection{"the study concludes already"};
  RequirementJudged judged{c.requirement, c.met, c.why};
  if (const auto why = against(judged)) return *why;
  if (!c.workspace.empty() && c.workspace != code_meant(*study, *study->thinking.requirement(c.requirement)))
    return Rejection{other_code};
  if (c.why.empty()) return Rejection{"say what in the source shows it"};
  const StudyRequirement& known = *study->thinking.requirement(c.requirement);
  if (!is_person(command.actor) && !known.file.empty() && !has_read(*study, command.actor, known))
    return rejected({ReasonCode::judged_unread,
                     {{"requirement", known.id}, {"file", known.file}, {"from", known.from}, {"to", known.to}}});
  return record(std::move(judged));
}

/// Why a section is refused: headings, links and pictures could pass for another author's words.
static std::string not_prose(const std::string& text) {
  for (const char* mark : {"](", "]:", "!["})
    if (text.find(mark) != text.npos) return "links and pictures are not for a section: name what you mean";
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
    const std::size_t word = text.find_first_not_of(" \t>", at);
    if (word != text.npos && text[word] == '#') return "headings are not for a section";
  }
  return "";
}

Decision Decider::operator()(const WriteSection& c) {
  if (const auto why = against(SectionWritten{})) return *why;
  const auto& names = section_names();
  if (std::ranges::find(names, c.name) == names.end())
    return Rejection{fmt::format("there is no section {}: {}", c.name.substr(0, 40), fmt::join(names, ", "))};
  if (std::string why = not_prose(c.text); !why.empty()) return Rejection{std::move(why)};
  Section section{c.name, command.actor, c.text};
  if (const std::string refusal = bind_words(*study, command.actor, section); !refusal.empty())
    return Rejection{fmt::format("section {} does not pass: {}", c.name, refusal)};
  return record(SectionWritten{std::move(section)});
}

namespace {

CallCost cost_of(const AskModel& c) {
  return {static_cast<double>(c.tokens), c.usd.value_or(0)};
}

}  // namespace

Decision Decider::operator()(const OpenLine& c) {
  return record_if_allowed(LineOpened{c.line, command.actor, c.about, c.subject});
}

Decision Decider::operator()(const CloseLine& c) {
  if (const auto why = against(LineEnded{c.line, c.ending})) return *why;
  // Nobody takes its reply up any more.
  const auto in_batch = [&](const LineOfWork& line, const ModelCall& call) {
    return line.id == c.line && call.in_batch();
  };
  give_up_calls(*study, in_batch, {ReasonCode::reply_not_awaited});
  return record(LineEnded{c.line, c.ending});
}

Decision Decider::operator()(const AskModel& c) {
  const int call = static_cast<int>(study->thinking.calls.size()) + 1;
  ModelAsked asked{call,      c.line,   c.model,
                   c.request, c.tokens, c.usd.value_or(0),
                   c.instead, c.shown,  {c.asked_for, c.effort, !c.usd}};
  if (study->state != StudyState::running) return Paused{"the study is not worked on"};
  if (study->cancelling || study->outcome) return rejected({ReasonCode::study_not_worked_on});
  if (const auto why = against(asked)) return *why;
  if (const GateRecord* waiting = study->waiting_gate()) return Waits{waiting->gate.id + " waits for a person"};
  if (!c.usd && study->spec.budget.usd) return rejected({ReasonCode::price_unknown, {{"model", c.model}}});
  if (waits_for_spending(c)) return done(Waits{"a person decides first whether so much may be spent"});
  const bool searches = study->code.step(c.line) && study->phase() == Phase::searching && study->code.over.empty();
  const Budget limits = searches ? limits_of_steps(*study) : study->spec.budget;
  if (const auto reached = exceeded(limits, spending_of(*study, now), cost_of(c))) {
    // The search ends with the versions that it has.
    if (searches) {
      return record(CodePlanned{study->code.round, {}, reason_of(*reached)});
    }
    // The budget is that of the whole study: a person may raise it, and then the conversation goes on.
    emit(StudyPaused{PauseReason::budget, reason_of(*reached)});
    return done(Paused{"the budget is used up"});
  }
  emit(std::move(asked));
  return done(Done{call});
}

bool Decider::waits_for_spending(const AskModel& c) {
  const Spending spending = spending_of(*study, now);
  for (std::size_t i = 0; i < study->spec.gates.size(); ++i) {
    const GateSpec& gate = study->spec.gates[i];
    const int position = static_cast<int>(i);
    const bool opened =
        std::ranges::any_of(study->gates, [&](const GateRecord& record) { return record.gate.position == position; });
    if (opened || gate.on != GateOn::spend || !exceeded(gate.above, spending, cost_of(c))) continue;
    emit(GateOpened{{next_gate(*study), position, gate.on, gate_question(*study, gate)}});
    return true;
  }
  return false;
}

Decision Decider::operator()(const ReportReply& c) {
  return record_if_allowed(ModelAnswered{c.call, c.end});
}

Decision Decider::operator()(const ReportBatch& c) {
  return record_if_allowed(CallBatched{c.call, c.batch, c.service, c.until_ms});
}

void Decider::give_up_calls(const Journal& of, const CallChoice& chosen, const Reason& why) {
  for (const LineOfWork& line : of.thinking.lines) {
    const ModelCall* call = of.thinking.newest_call(line);
    if (!call || call->state != CallState::asked || !chosen(line, *call)) continue;
    CallEnd end;  // The amount that was set aside counts as spent.
    end.failure = why;
    end.tokens.input = call->tokens;
    end.usd = call->usd;
    end.maybe_paid = true;
    emit(ModelAnswered{call->number, std::move(end)});
  }
}

Decision Decider::operator()(const GiveUpCalls& c) {
  const bool concludes = study->cancelling || study->outcome;
  const auto chosen = [&](const LineOfWork& line, const ModelCall& call) {
    const bool goes_on = call.in_batch() && !line.ended && !concludes;
    return (c.line.empty() || c.line == line.id) && !goes_on;
  };
  give_up_calls(*study, chosen, c.why);
  return done();
}

Decision Decider::operator()(const ReportTool& c) {
  return record_if_allowed(ToolReturned{c.call, c.answer});
}

}  // namespace kernel
