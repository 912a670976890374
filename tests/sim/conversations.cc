#include "tests/sim/conversations.h"

#include <algorithm>

#include "agents/builtin/builtin.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/prior_results.h"

namespace sim {

using kernel::ReasonCode;
using kernel::Study;

namespace {

int answered_calls(const Study& study, const kernel::LineOfWork& line) {
  return static_cast<int>(std::ranges::count_if(study.thinking.calls, [&](const kernel::ModelCall& call) {
    return study.thinking.lines.at(static_cast<std::size_t>(call.line)).id == line.id &&
           call.state == kernel::CallState::answered;
  }));
}

/// A reply that takes so many tokens, and wants one tool at most.
Sent reply_of(Dice& dice, std::int64_t tokens) {
  Sent sent = draw_reply(dice, 1);
  for (models::ToolCall& call : sent.calls)
    if (const int which = dice.below(4); which < 2) call.name = which == 0 ? "run_scratch" : "ask_person";
  sent.input = tokens / 2;
  sent.output = tokens - tokens / 2;
  return sent;
}

/// What the built-in role says, in the words of one with a model: where it proposes, it may be wrong of the direction,
/// and a proposal that repeats a dead end is made again, and says how it differs.
kernel::RoleAnswer said_by(kernel::Role role, const Study& study) {
  kernel::RoleAnswer answer = agents::builtin_turn(role, study);
  std::vector<kernel::Command> all;
  for (kernel::Command& command : answer.commands) {
    auto* proposal = std::get_if<kernel::ProposeHypothesis>(&command.body);
    const bool own = proposal && study.spec.kind == kernel::StudyKind::test && study.spec.hypotheses.empty();
    if (own && lot(study.id + proposal->hypothesis.id.text()) % 2 == 0)
      proposal->hypothesis.direction = kernel::Direction::greater;
    all.push_back(command);
    if (!proposal || kernel::repeats_dead_end(study, proposal->hypothesis).empty()) continue;
    proposal->hypothesis.difference = "The machine is another one.";
    all.push_back(std::move(command));
  }
  answer.commands = std::move(all);
  return answer;
}

}  // namespace

Conversations::Conversations(Core& core, const Rates& rates, Provider& provider,
                             std::function<void(kernel::LoopMessage)> post)
    : core_(core), rates_(rates), provider_(provider), post_(std::move(post)) {}

bool Conversations::works(const std::string& study) const {
  return std::ranges::any_of(working_, [&](const auto& one) { return one.first.study == study; });
}

int Conversations::begin(const Line& line) {
  return working_[line] = ++turns_;
}

bool Conversations::still(const Line& line, int turn) const {
  const auto known = working_.find(line);
  return known != working_.end() && known->second == turn;
}

void Conversations::let_go(const std::string& study) {
  std::vector<Line> gone;
  for (const auto& [line, turn] : working_)
    if (line.study == study) gone.push_back(line);
  for (const Line& line : gone) {
    rest(line);
    post_(kernel::Command{study, kernel::kernel_actor, kernel::GiveUpCalls{line.id, {ReasonCode::reply_not_awaited}}});
  }
}

kernel::RoleAnswer Conversations::turn(kernel::Role role, const Study& study) {
  const std::string name(kernel::name(role));
  if (study.phase() == kernel::Phase::searching && study.spec.code && study.search) return search_code(study);
  const Line line{
      study.id,
      name,
      fmt::format("{}-{}-{}-{}", name, kernel::name(study.phase()), study.batch.number, study.batch.amended_at),
      {kernel::LinePurpose::other, study.batch.number}};
  const kernel::LineOfWork* known = study.thinking.line(line.id);
  if (known && known->ended) return said_by(role, study);
  work_on(study, line);
  return {{}, true};
}

void Conversations::work_on(const Study& study, const Line& line) {
  if (working_.contains(line)) return;
  const kernel::LineOfWork* known = study.thinking.line(line.id);
  if (!known)
    ask(line, true);
  else if (!study.rests(*known))
    go_on(study, line, *known);
}

void Conversations::send(const Line& line, kernel::CommandBody body,
                         std::function<void(int, const kernel::CommandOutcome&)> answer,
                         std::vector<kernel::CommandBody> then) {
  const int turn = begin(line);
  kernel::CommandRequest request{
      {line.study, line.role, std::move(body)},
      [this, alive = alive_, line, turn, answer = std::move(answer)](const kernel::CommandOutcome& outcome) {
        if (*alive && still(line, turn)) answer(turn, outcome);
      }};
  for (kernel::CommandBody& next : then) request.then.push_back({line.study, line.role, std::move(next)});
  post_(std::move(request));
}

/// From where the journal left the line.
void Conversations::go_on(const Study& study, const Line& line, const kernel::LineOfWork& known) {
  const kernel::ModelCall* call = study.thinking.call(known.last_call);
  if (call && call->state == kernel::CallState::asked)
    broken("no kernel waits for the reply to a call of another one", "call {} of {}", call->number, study.id);
  if (!call || call->state == kernel::CallState::failed) return ask(line, false);
  use_reply(study, line, *call);
}

void Conversations::use_reply(const Study& study, const Line& line, const kernel::ModelCall& call) {
  // A fork has calls of its past, to which its own provider never replied.
  const auto known = provider_.calls.find({study.id, call.number});
  const models::ToolCall* wanted =
      known == provider_.calls.end() || known->second.sent.calls.empty() ? nullptr : &known->second.sent.calls.front();
  const std::string tool = wanted ? wanted->id : "call_1", name = wanted ? wanted->name : "look";
  const bool used = std::ranges::any_of(call.tools, [&](const auto& one) { return one.id == tool; });
  if (!used && name == "run_scratch" && study.thinking.ordered(call.number, tool) == 0) {
    kernel::ScratchOrder order;
    order.call = call.number;
    order.tool_call = tool;
    order.line = line.id;
    order.command = "ls";
    order.workspace = study.workspace;
    order.resources = study.spec.resources;
    order.resources.gpus = 0;
    return send(line, kernel::OrderScratch{std::move(order)},
                [this, line, number = call.number, tool](int, const kernel::CommandOutcome& outcome) {
                  if (kernel::why_not(outcome)) return report_tool(line, number, tool, true);
                  rest(line);
                });
  }
  if (!used && name == "ask_person" && !study.gate_of(call.number, tool))
    return send(line, kernel::AskLeave{call.number, tool, name, "{}", "May I?"},
                [this, line](int, const kernel::CommandOutcome&) { rest(line); });
  const int most = 1 + static_cast<int>(lot(line.study + line.id) % 3);
  if (answered_calls(study, *study.thinking.line(line.id)) >= most) return end_line(study, line);
  if (used) return ask(line, false);
  report_tool(line, call.number, tool, false);
}

void Conversations::report_tool(const Line& line, int call, const std::string& tool, bool refused) {
  send(line, kernel::ReportTool{call, {tool, "look", {}, refused}},
       [this, line](int, const kernel::CommandOutcome& outcome) {
         if (kernel::why_not(outcome)) return rest(line);
         ask(line, false);
       });
}

void Conversations::ask(const Line& line, bool opens) {
  const std::int64_t tokens = core_.dice.between(50, 400);
  kernel::AskModel ask{line.id, "small", {}, tokens, static_cast<double>(tokens) * usd_per_token};
  const auto on_answer = [this, line, tokens](int turn, const kernel::CommandOutcome& outcome) {
    const auto* done = std::get_if<kernel::Done>(&outcome);
    if (done && done->call) return asked(line, turn, *done->call, tokens);
    rest(line);
  };
  if (!opens) return send(line, std::move(ask), on_answer);
  send(line, kernel::OpenLine{line.id, "its turn", line.subject}, on_answer, {std::move(ask)});
}

/// The provider continues its work if the kernel ends.
void Conversations::asked(const Line& line, int turn, int call, std::int64_t tokens) {
  intended(line.study, call);
  const auto [place, fresh] = provider_.calls.try_emplace({line.study, call});
  if (!fresh) broken("no model is asked twice for one call", "call {} of {}", call, line.study);
  const bool fails = core_.dice.chance(rates_.model_fails);
  const bool connects = !fails || core_.dice.below(3) != 0;
  ProviderCall& seen = place->second;
  seen.reserved = tokens;
  seen.tokens = connects ? core_.dice.between(1, static_cast<int>(tokens)) : 0;
  seen.usd = static_cast<double>(seen.tokens) * usd_per_token;
  seen.sent = reply_of(core_.dice, seen.tokens);
  core_.note("{} asks for {}: call {}", line.study, line.id, call);
  kernel::CallEnd end;
  if (!connects) {
    end.failure = kernel::as_said("no connection");
  } else if (const auto read = streamed(core_.dice, seen.sent, fails)) {
    end.reply = keep(read->text);
    end.tokens.input = read->usage.known ? read->usage.input : tokens;
    end.tokens.output = read->usage.output;
    end.usd = static_cast<double>(end.tokens.total()) * usd_per_token;
  } else {
    // What may have been charged for counts as if it had been.
    end.failure = kernel::as_said("the stream broke off");
    end.maybe_paid = true;
    end.tokens.input = tokens;
    end.usd = static_cast<double>(tokens) * usd_per_token;
  }
  const auto reply = [this, alive = alive_, line, turn, call, end] {
    if (*alive) answered(line, turn, call, end);
  };
  core_.later(core_.dice.spread(rates_.latency), reply);
  if (core_.dice.chance(rates_.reply_twice)) core_.later(core_.dice.spread(rates_.latency), reply);
}

/// The reply is recorded in any case; the conversation goes on by what is recorded, if it still waits for it.
void Conversations::answered(const Line& line, int turn, int call, kernel::CallEnd end) {
  core_.note("a reply to call {} of {}", call, line.study);
  const auto look = [this, alive = alive_, line, turn](const Study* study) {
    if (!*alive || !study || !still(line, turn)) return;
    rest(line);
    const kernel::LineOfWork* known = study->thinking.line(line.id);
    const bool goes_on = known && !known->ended && !study->cancelling && !study->outcome &&
                         study->state == kernel::StudyState::running && !study->waiting_gate();
    if (goes_on) go_on(*study, line, *known);
  };
  const auto recorded = [this, line, look](const kernel::CommandOutcome&) { post_(kernel::Inspect{line.study, look}); };
  post_(kernel::CommandRequest{{line.study, line.role, kernel::ReportReply{call, std::move(end)}},
                               [alive = alive_, recorded](const kernel::CommandOutcome& outcome) {
                                 if (*alive) recorded(outcome);
                               }});
}

}  // namespace sim
