// What a line of work answers to the calls of a reply.
#include <algorithm>

#include <fmt/format.h>

#include "agents/thinking/line_waiting.h"
#include "agents/thinking/prompts.h"
#include "agents/thinking/tidy.h"
#include "kernel/thinking.h"

namespace agents {

using kernel::Study;

namespace {

constexpr int most_calls = 80, most_repeats = 4;
constexpr std::size_t most_of_a_log = 20000;

}  // namespace

/// `answered`: what tools have said to this reply already.
void Line::answer_calls(const models::Reply& reply, const std::vector<kernel::ToolReturn>& answered) {
  models::Message said;
  said.by = models::Speaker::assistant;
  if (reply.text.find_first_not_of(" \t\r\n") != reply.text.npos) said.text = reply.text;
  for (const models::ToolCall& call : reply.calls) said.calls.push_back(as_servers_take_it(call));
  if (said.text.empty() && said.calls.empty()) said.text = "(nothing)";  // No protocol takes an empty turn.
  remembered_.request.messages.push_back(said);
  if (reply.calls.empty()) return nudge(reply);
  nudges_ = 0;
  models::Message answers;
  for (const models::ToolCall& call : reply.calls) {
    const auto known = std::find_if(answered.begin(), answered.end(),
                                    [&](const kernel::ToolReturn& one) { return one.id == call.id; });
    if (known == answered.end()) {
      answers.answers.push_back(use(call));
      if (ended_) return;
      continue;
    }
    answers.answers.push_back({call.id, shared_->parts.fetch(known->answer.sha256), {}, known->refused});
    if (!known->refused && writes(call.name)) use_tool(call, role_, nullptr, branch_);
  }
  remembered_.request.messages.push_back(std::move(answers));
  const int calls = inspect<int>([this](const Study& study) { return study.thinking.line(id_)->calls; });
  if (calls >= most_calls) end(fmt::format("It saw no end after {} calls.", calls));
}

std::string Line::finish(const std::string& words, kernel::CommandBody answer) {
  const std::map<std::string, std::string> changes = branch_.changes();
  if (changes.empty()) {
    end(words, {std::move(answer)});
    return "";
  }
  const auto now = inspect<std::string>([](const Study& study) { return study.workspace.hash; });
  if (now != base_.hash) {
    end("Somebody else amended the code meanwhile: this branch is of another version.", {std::move(answer)});
    return "";
  }
  const std::string refusal = command(kernel::AmendWorkspace{shared_->parts.freeze(base_, changes), words, base_.hash},
                                      {std::move(answer), kernel::CloseLine{id_, words}});
  ended_ = refusal.empty();
  return refusal;
}

bool Line::goes_round(const models::ToolCall& call) {
  std::string now = call.name + ' ' + call.arguments;
  repeats_ = now == last_use_ ? repeats_ + 1 : 0;
  last_use_ = std::move(now);
  return repeats_ >= most_repeats;
}

models::ToolAnswer Line::use(const models::ToolCall& call) {
  const bool round = goes_round(call);
  if (repeats_ >= 2 * most_repeats) {
    end("It went round in circles.");
    return {};
  }
  ToolResult result;
  if (round) {
    result.text = fmt::format("You have asked this {} times, and the answer is the same.", repeats_ + 1);
    result.refused = true;
  } else {
    result =
        looks_at_study(call.name)
            ? inspect<ToolResult>([this, &call](const Study& study) { return use_tool(call, role_, &study, branch_); })
            : use_tool(call, role_, nullptr, branch_);
    if (!result.shows.sha256.empty())
      result.text = quoted_tail(result.label, shared_->parts.fetch(result.shows.sha256), most_of_a_log);
  }
  const auto returned = [&](const std::string& text, bool refused) {
    return kernel::ReportTool{call_, {call.id, call.name.substr(0, 64), shared_->parts.keep(text), refused}};
  };
  std::string refusal;
  if (result.finished) {
    refusal = finish(*result.finished, returned(result.text, false));
    if (ended_) return {};
    command(returned(refusal, true));
  } else if (result.command) {
    refusal = command(std::move(*result.command), {returned(result.text, false)});
    if (!refusal.empty()) command(returned(refusal, true));
  } else {
    command(returned(result.text, result.refused));
  }
  if (!refusal.empty()) return {call.id, std::move(refusal), {}, true};
  return {call.id, std::move(result.text), {}, result.refused};
}

void Line::write_again() {
  const std::vector<models::Message>& messages = remembered_.request.messages;
  for (std::size_t i = 0; i + 1 < messages.size(); ++i)
    for (const models::ToolCall& call : messages[i].calls)
      for (const models::ToolAnswer& answer : messages[i + 1].answers)
        if (answer.call == call.id && !answer.failed && writes(call.name)) use_tool(call, role_, nullptr, branch_);
}

}  // namespace agents
