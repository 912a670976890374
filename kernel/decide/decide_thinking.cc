// Calls of agents to models, and answers of tools. The cost is reserved before a model is asked, and a reply is
// recorded before it is used.
#include <algorithm>

#include <fmt/format.h>

#include "kernel/decide/decider.h"
#include "kernel/search/code_search.h"
#include "kernel/study/gates.h"
#include "kernel/study/ledger.h"

namespace kernel {

namespace {

CallCost cost_of(const AskModel& c) {
  return {static_cast<double>(c.tokens), c.usd.value_or(0)};
}

}  // namespace

Decision Decider::operator()(const OpenLine& c) {
  LineOpened opened{c.line, command.actor, c.about, c.subject};
  if (const auto why = against(opened)) return Rejection{*why};
  emit(std::move(opened));
  return done();
}

Decision Decider::operator()(const CloseLine& c) {
  LineEnded ended{c.line, c.ending};
  if (const auto why = against(ended)) return Rejection{*why};
  emit(std::move(ended));
  return done();
}

Decision Decider::operator()(const AskModel& c) {
  const int call = static_cast<int>(study->thinking.calls.size()) + 1;
  ModelAsked asked{call, c.line, c.model, c.request, c.tokens, c.usd.value_or(0)};
  if (study->state != StudyState::running) return Paused{"study " + command.study + " is not worked on"};
  if (study->cancelling || study->outcome) return Rejection{"study " + command.study + " is not worked on"};
  if (const auto why = against(asked)) return Rejection{*why};
  if (const GateRecord* waiting = study->waiting_gate()) return Waits{waiting->gate.id + " waits for a person"};
  if (!c.usd && study->spec.budget.usd)
    return Rejection{"the price of model " + c.model + " is not known, and the study has a budget in usd"};
  if (waits_for_spending(c)) return done(Waits{"a person decides first whether so much may be spent"});
  const bool searches = study->code.step(c.line) && study->phase() == Phase::searching && study->code.over.empty();
  const Budget limits = searches ? limits_of_steps(*study) : study->spec.budget;
  if (const auto reached = exceeded(limits, spending_of(*study, now), cost_of(c))) {
    // The search ends with the versions that it has.
    if (searches) {
      emit(CodePlanned{study->code.round, {}, reason_of(*reached)});
      return done();
    }
    // The budget is that of the whole study: a person may raise it, and then the conversation goes on.
    emit(StudyPaused{"budget", reason_of(*reached)});
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
    const bool opened = std::any_of(study->gates.begin(), study->gates.end(),
                                    [&](const GateRecord& record) { return record.gate.position == position; });
    if (opened || gate.on != GateOn::spend || !exceeded(gate.above, spending, cost_of(c))) continue;
    emit(GateOpened{{next_gate(*study), position, gate.on, gate_question(*study, gate)}});
    return true;
  }
  return false;
}

Decision Decider::operator()(const ReportReply& c) {
  ModelAnswered answered{c.call, c.end};
  if (const auto why = against(answered)) return Rejection{*why};
  emit(std::move(answered));
  return done();
}

void Decider::give_up_calls(const Journal& of, const std::string& on, const std::string& why) {
  for (const LineOfWork& line : of.thinking.lines) {
    const ModelCall* call = of.thinking.call(line.last_call);
    if (!call || call->state != CallState::asked || (!on.empty() && on != line.id)) continue;
    CallEnd end;  // The amount that was set aside counts as spent.
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
  ToolReturned returned{c.call, c.answer};
  if (const auto why = against(returned)) return Rejection{*why};
  emit(std::move(returned));
  return done();
}

}  // namespace kernel
