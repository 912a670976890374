#include "tests/sim/conversations.h"

#include <algorithm>

#include "agents/builtin/builtin.h"
#include "kernel/domain/enum_names.h"

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

/// The same in every kernel.
std::uint64_t lot(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return kernel::SplitMix{hash}.next();
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
  const Line line{
      study.id, name,
      fmt::format("{}-{}-{}-{}", name, kernel::name(study.phase()), study.batch.number, study.batch.amended_at),
      study.batch.number};
  const kernel::LineOfWork* known = study.thinking.line(line.id);
  if (known && known->ended) return agents::builtin_turn(role, study);
  if (working_.contains(line)) return {{}, true};
  if (!known)
    ask(line, true);
  else if (!study.rests(*known))
    go_on(study, line, *known);
  return {{}, true};
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
  const std::uint64_t bits = lot(line.study + line.id + std::to_string(call.number));
  const std::string tool = "c1";
  const bool used = std::ranges::any_of(call.tools, [&](const auto& one) { return one.id == tool; });
  if (!used && bits % 8 == 0 && study.thinking.ordered(call.number, tool) == 0) {
    kernel::ScratchOrder order;
    order.call = call.number;
    order.tool_call = tool;
    order.line = line.id;
    order.command = "ls";
    order.workspace = study.workspace;
    order.resources = study.spec.resources;
    order.resources.gpus = 0;
    return send(line, kernel::OrderScratch{std::move(order)},
                [this, line, number = call.number](int, const kernel::CommandOutcome& outcome) {
                  if (kernel::why_not(outcome)) return report_tool(line, number, true);
                  rest(line);
                });
  }
  if (!used && bits % 8 == 1 && !study.gate_of(call.number, tool))
    return send(line, kernel::AskLeave{call.number, tool, "ask_person", "{}", "May I?"},
                [this, line](int, const kernel::CommandOutcome&) { rest(line); });
  const int most = 1 + static_cast<int>(lot(line.study + line.id) % 3);
  if (answered_calls(study, *study.thinking.line(line.id)) >= most)
    return send(line, kernel::CloseLine{line.id, kernel::as_said("I am done.")},
                [this, line](int, const kernel::CommandOutcome&) { rest(line); });
  if (used) return ask(line, false);
  report_tool(line, call.number, false);
}

void Conversations::report_tool(const Line& line, int call, bool refused) {
  send(line, kernel::ReportTool{call, {"c1", "look", {}, refused}},
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
  send(line, kernel::OpenLine{line.id, "its turn", {kernel::LinePurpose::other, line.batch}}, on_answer,
       {std::move(ask)});
}

/// The provider continues its work if the kernel ends.
void Conversations::asked(const Line& line, int turn, int call, std::int64_t tokens) {
  intended(line.study, call);
  const auto [place, fresh] = provider_.calls.try_emplace({line.study, call});
  if (!fresh) broken("no model is asked twice for one call", "call {} of {}", call, line.study);
  const bool fails = core_.dice.chance(rates_.model_fails);
  const int how = core_.dice.below(3);
  ProviderCall& seen = place->second;
  seen.reserved = tokens;
  seen.tokens = fails && how == 0 ? 0 : core_.dice.between(1, static_cast<int>(tokens));
  seen.usd = static_cast<double>(seen.tokens) * usd_per_token;
  core_.note("{} asks for {}: call {}", line.study, line.id, call);
  kernel::CallEnd end;
  if (fails) {
    end.failure = kernel::as_said(how == 0 ? "no connection" : "the stream broke off");
    // What may have been charged for counts as if it had been.
    if (how != 0) {
      end.maybe_paid = true;
      end.tokens.input = tokens;
      end.usd = static_cast<double>(tokens) * usd_per_token;
    }
  } else {
    end.tokens = {seen.tokens / 2, seen.tokens - seen.tokens / 2, 0, 0};
    end.usd = seen.usd;
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
