// What agents that think ask of models, and what their tools answer: set aside before it is asked, recorded before it
// is used.
#include <algorithm>

#include <fmt/format.h>

#include "kernel/decide/decider.h"
#include "kernel/search/code_search.h"
#include "kernel/study/gates.h"
#include "kernel/study/ledger.h"

namespace kernel {

namespace {

/// Which limit a call would go beyond; empty: none.
std::string beyond_by_call(const Budget& limits, const Spending& s, const AskModel& c) {
  if (limits.tokens && s.tokens.total() + static_cast<double>(c.tokens) > static_cast<double>(*limits.tokens))
    return fmt::format("tokens: {:.0f} of {} spent, and the next call may take {}", s.tokens.total(), *limits.tokens,
                       c.tokens);
  if (limits.usd && s.usd.total() + c.usd.value_or(0) > *limits.usd)
    return fmt::format("usd: {:.4g} of {:.4g} spent, and the next call may take {:.2g}", s.usd.total(), *limits.usd,
                       c.usd.value_or(0));
  if (limits.wall_s && s.wall_s.total() >= *limits.wall_s) return beyond(limits, s);
  return "";
}

}  // namespace

Decision Decider::operator()(const OpenLine& c) {
  if (study->state != StudyState::running || study->cancelling || study->outcome)
    return Rejection{"study " + command.study + " is not worked on"};
  if (study->thinking.line(c.line)) return Rejection{"there is a line of work " + c.line + " already"};
  emit(LineOpened{c.line, command.actor, c.about});
  return done();
}

Decision Decider::operator()(const CloseLine& c) {
  const LineOfWork* line = study->thinking.line(c.line);
  if (!line || line->ended) return Rejection{"there is no open line of work " + c.line};
  emit(LineEnded{c.line, c.ending});
  return done();
}

Decision Decider::operator()(const AskModel& c) {
  const Thinking& thinking = study->thinking;
  const LineOfWork* line = thinking.line(c.line);
  if (!line || line->ended) return Rejection{"there is no open line of work " + c.line};
  if (study->state != StudyState::running || study->cancelling || study->outcome)
    return Rejection{"study " + command.study + " is not worked on"};
  if (const ModelCall* last = thinking.call(line->last_call); last && last->state == CallState::asked)
    return Rejection{c.line + " waits for a reply already"};
  if (const GateRecord* waiting = study->waiting_gate()) return Rejection{waiting->gate.id + " waits for a person"};
  if (!c.usd && study->spec.budget.usd)
    return Rejection{"the price of model " + c.model + " is not known, and the study has a budget in usd"};
  if (waits_for_spending(c)) return done();
  const bool searches = study->code.step(c.line) && study->phase() == Phase::searching && study->code.over.empty();
  const Budget limits = searches ? limits_of_steps(*study) : study->spec.budget;
  if (std::string reached = beyond_by_call(limits, spending_of(*study, now), c); !reached.empty()) {
    // A search over code goes on with what it has.
    if (searches) {
      emit(CodePlanned{study->code.round, {}, std::move(reached)});
      return done();
    }
    // The wall is for everything: a person may raise it, and the line goes on from here.
    emit(StudyPaused{"budget", as_said(std::move(reached))});
    return done();
  }
  emit(
      ModelAsked{static_cast<int>(thinking.calls.size()) + 1, c.line, c.model, c.request, c.tokens, c.usd.value_or(0)});
  return done();
}

bool Decider::waits_for_spending(const AskModel& c) {
  const Spending spending = spending_of(*study, now);
  for (std::size_t i = 0; i < study->spec.gates.size(); ++i) {
    const GateSpec& gate = study->spec.gates[i];
    const int position = static_cast<int>(i);
    const bool opened = std::any_of(study->gates.begin(), study->gates.end(),
                                    [&](const GateRecord& record) { return record.gate.position == position; });
    if (opened || gate.on != GateOn::spend || beyond_by_call(gate.above, spending, c).empty()) continue;
    emit(GateOpened{{next_gate(*study), position, gate.on, gate_question(*study, gate)}});
    return true;
  }
  return false;
}

Decision Decider::operator()(const ReportReply& c) {
  const ModelCall* call = study->thinking.call(c.call);
  if (!call || call->state != CallState::asked) return Rejection{fmt::format("call {} waits for no reply", c.call)};
  emit(ModelAnswered{c.call, c.end});
  return done();
}

void Decider::give_up_calls(const Study& of, const std::string& on, const std::string& why) {
  for (const LineOfWork& line : of.thinking.lines) {
    const ModelCall* call = of.thinking.call(line.last_call);
    if (!call || call->state != CallState::asked || (!on.empty() && on != line.id)) continue;
    CallEnd end;  // What was set aside for it counts as spent.
    end.failure = why;
    end.tokens.input = call->tokens;
    end.usd = call->usd;
    end.maybe_paid = true;
    emit(ModelAnswered{call->number, std::move(end)});
  }
}

Decision Decider::operator()(const GiveUpCalls& c) {
  give_up_calls(*study, c.line, c.why);
  return done();
}

Decision Decider::operator()(const ReportTool& c) {
  const ModelCall* call = study->thinking.call(c.call);
  if (!call || call->state != CallState::answered) return Rejection{fmt::format("call {} has no reply", c.call)};
  if (std::any_of(call->tools.begin(), call->tools.end(), [&](const ToolReturn& one) { return one.id == c.answer.id; }))
    return Rejection{"the tool call " + c.answer.id + " was answered already"};
  emit(ToolReturned{c.call, c.answer});
  return done();
}

}  // namespace kernel
