#include "agents/thinking/line.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "agents/thinking/briefing.h"
#include "agents/thinking/prompts.h"
#include "agents/thinking/tidy.h"
#include "kernel/thinking.h"

namespace agents {

using kernel::Study;

namespace {

constexpr int most_calls = 80, most_nudges = 3, most_repeats = 4;
constexpr std::size_t most_of_a_log = 20000;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

kernel::TokenCount counted(const models::Usage& usage) {
  return {usage.input, usage.output, usage.cache_read, usage.cache_written};
}

}  // namespace

void Line::run() {
  for (bool more = true; more;) {
    try {
      converse();
    } catch (const Stopped&) {
      give_up("nobody waited for the reply any more");
    } catch (const std::exception& e) {
      give_up("the line of work broke off");
      pause(fmt::format("{}: {}", id_, e.what()));
    }
    const std::lock_guard lock(signal_->mutex);
    signal_->cancel = nullptr;  // What is still to be told holds the signal, and must not hold the model.
    more = std::exchange(signal_->again, false) && !signal_->stopped && !signal_->over;
    if (!more) signal_->over = true;
  }
}

/// The journal has all that was said; if the study goes on, this belongs into it.
void Line::give_up(const char* why) {
  shared_->parts.inbox.post(kernel::Command{study_, "kernel", kernel::GiveUpCalls{id_, why}});
}

bool Line::go_on() {
  const std::lock_guard lock(signal_->mutex);
  if (!signal_->over) signal_->again = true;
  return !signal_->over;
}

void Line::stop() {
  std::function<void()> cancel;
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->stopped = true;
    cancel = signal_->cancel;
  }
  signal_->changed.notify_all();
  if (cancel) cancel();
}

template <typename T>
std::function<void(T)> Line::teller(const std::shared_ptr<Said<T>>& said) {
  // Holds what it needs: the line may be gone by then.
  return [said, signal = signal_](T value) {
    {
      const std::lock_guard lock(signal->mutex);
      said->value.emplace(std::move(value));
    }
    signal->changed.notify_all();
  };
}

template <typename T>
T Line::wait_for(const std::shared_ptr<Said<T>>& said) {
  std::unique_lock lock(signal_->mutex);
  signal_->changed.wait(lock, [&] { return signal_->stopped || said->value; });
  if (!said->value) throw Stopped{};
  return std::move(*said->value);
}

kernel::Command Line::by_role(kernel::CommandBody body) const {
  return {study_, role_, std::move(body)};
}

kernel::Request Line::request(kernel::CommandBody body, std::vector<kernel::CommandBody> then) const {
  kernel::Request request{by_role(std::move(body)), {}};
  for (kernel::CommandBody& next : then) request.then.push_back(by_role(std::move(next)));
  return request;
}

std::string Line::command(kernel::CommandBody body, std::vector<kernel::CommandBody> then) {
  const auto said = std::make_shared<Said<std::string>>();
  const auto tell = teller(said);
  kernel::Request asked = request(std::move(body), std::move(then));
  asked.answer = [tell](const std::optional<std::string>& refusal) { tell(refusal.value_or("")); };
  shared_->parts.inbox.post(std::move(asked));
  return wait_for(said);
}

template <typename T>
T Line::inspect(std::function<T(const Study&)> look) {
  const auto said = std::make_shared<Said<std::optional<T>>>();
  const auto tell = teller(said);
  // Who destroys the line stops it first, on the thread that looks: from then on `look` may hold what is gone.
  shared_->parts.inbox.post(kernel::Inspect{study_, [tell, look, signal = signal_](const Study* study) {
                                              if (!signal->is_stopped())
                                                tell(study ? std::optional<T>(look(*study)) : std::nullopt);
                                            }});
  std::optional<T> seen = wait_for(said);
  if (!seen) throw Stopped{};
  return std::move(*seen);
}

/// The last thing that it says: whoever hears it may start the line again at once.
void Line::pause(std::string why) {
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->over = true;
  }
  shared_->parts.inbox.post(kernel::Command{study_, "kernel", kernel::Pause{"agent", std::move(why)}});
}

void Line::end(std::string words, std::vector<kernel::CommandBody> before) {
  ended_ = true;
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->over = true;
  }
  before.push_back(kernel::CloseLine{id_, std::move(words)});
  kernel::CommandBody first = std::move(before.front());
  before.erase(before.begin());
  shared_->parts.inbox.post(request(std::move(first), std::move(before)));
}

void Line::converse() {
  struct Begin {
    std::string profile;
    kernel::WorkspaceRecord workspace;
    std::set<std::string> frozen;
  };
  const auto begin = inspect<Begin>([](const Study& study) {
    Begin seen{study.spec.agents, study.workspace, {}};
    for (const kernel::ProtectedFile& file : study.workspace.protect) seen.frozen.insert(file.path);
    seen.frozen.insert(study.spec.setup_files.begin(), study.spec.setup_files.end());
    return seen;
  });
  auto player = shared_->parts.casting(begin.profile, role_, id_);
  if (!player) return pause(player.problem().text());
  player_ = std::move(*player);
  base_ = begin.workspace;
  branch_ = Branch(shared_->parts.files(begin.workspace.hash), begin.frozen);
  if (!take_up()) return;
  while (!ended_)
    if (!ask_model()) return;
}

/// From the journal, where there is something of it; else from the beginning. False: the line has ended meanwhile.
bool Line::take_up() {
  struct Left {
    std::optional<kernel::LineOfWork> line;
    std::optional<kernel::ModelCall> call;
  };
  const auto left = inspect<Left>([this](const Study& study) {
    Left seen;
    if (const kernel::LineOfWork* line = study.thinking.line(id_)) {
      seen.line = *line;
      if (const kernel::ModelCall* call = study.thinking.call(line->last_call)) seen.call = *call;
      return seen;
    }
    return seen;
  });
  if (left.line && left.line->ended) return false;
  if (!left.call) {
    if (!left.line)
      if (const std::string refused = command(kernel::OpenLine{id_, about_}); !refused.empty())
        throw std::runtime_error(refused);
    remembered_.request = player_.template_request;
    remembered_.request.tools = tools_of(role_);
    struct First {
      std::string rules, task;
      int heard;
    };
    const auto first = inspect<First>([this](const Study& study) {
      return First{rules_for(role_, study), task_for(role_, study, branch_.entries()),
                   static_cast<int>(study.steering.size())};
    });
    remembered_.request.system = first.rules;
    remembered_.request.messages.resize(1);
    remembered_.request.messages[0].text = first.task;
    remembered_.heard = first.heard;
    return true;
  }
  auto request = request_from_journal(shared_->parts.fetch(left.call->request.sha256));
  if (!request) throw std::runtime_error(request.problem().text());
  remembered_ = std::move(*request);
  // The configuration may have been corrected meanwhile.
  const models::Request& now = player_.template_request;
  if (!now.model.empty()) {
    remembered_.request.model = now.model;
    remembered_.request.max_output = now.max_output;
    remembered_.request.temperature = now.temperature;
  }
  write_again();
  call_ = left.call->number;
  if (left.call->state != kernel::CallState::answered) return true;  // It is asked once more.
  auto reply = reply_from_journal(shared_->parts.fetch(left.call->reply.sha256));
  if (!reply) throw std::runtime_error(reply.problem().text());
  answer_calls(*reply, left.call->tools);
  return true;
}

void Line::write_again() {
  const std::vector<models::Message>& messages = remembered_.request.messages;
  for (std::size_t i = 0; i + 1 < messages.size(); ++i)
    for (const models::ToolCall& call : messages[i].calls)
      for (const models::ToolAnswer& answer : messages[i + 1].answers)
        if (answer.call == call.id && !answer.failed && writes(call.name)) use_tool(call, role_, nullptr, branch_);
}

bool Line::ask_model() {
  const auto words = inspect<std::pair<std::string, int>>([this](const Study& study) {
    return std::pair(words_of_people(study, remembered_.heard), static_cast<int>(study.steering.size()));
  });
  std::vector<models::Message>& messages = remembered_.request.messages;
  if (!words.first.empty()) {
    models::Message& last = messages.back();
    last.text += (last.text.empty() ? "" : "\n\n") + words.first;
  }
  remembered_.heard = words.second;
  const models::Usage aside = models::set_aside(remembered_.request);
  kernel::AskModel ask{id_, player_.name, shared_->parts.keep(to_journal(remembered_)), aside.total(), {}};
  if (player_.price) ask.usd = models::cost(*player_.price, aside);
  const int before = call_;
  {
    // Whoever wants it to go on from here says so later.
    const std::lock_guard lock(signal_->mutex);
    signal_->again = false;
  }
  if (const std::string refused = command(ask); !refused.empty()) {
    const bool rests = inspect<bool>([](const Study& study) { return study.state != kernel::StudyState::running; });
    if (!rests) pause(fmt::format("{}: {}", id_, refused));
    return false;
  }
  call_ = inspect<int>([this](const Study& study) { return study.thinking.line(id_)->last_call; });
  if (call_ == before) return false;  // Beyond the budget: the kernel has paused the study.

  const auto said = std::make_shared<Said<std::pair<models::Outcome, Attempts>>>();
  const auto tell = teller(said);
  const double asked_at = now_s();
  const std::uint64_t number = player_.model->ask(
      remembered_.request,
      [on_text = shared_->parts.on_text, study = study_, line = id_](std::string_view text) {
        if (on_text) on_text(study, line, text);
      },
      [tell](models::Outcome outcome, Attempts attempts) {
        tell({std::move(outcome), attempts});
      });
  bool stopped = false;
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->cancel = [model = player_.model, number] { model->cancel(number); };
    stopped = signal_->stopped;  // Before there was anything to cancel.
  }
  if (stopped) player_.model->cancel(number);
  auto [outcome, attempts] = wait_for(said);
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->cancel = nullptr;
  }
  kernel::ReportReply report{call_, {}};
  report.end.attempts = attempts.all;
  // Attempts that broke off may have to be paid for, and nobody says how much.
  const auto add_lost = [&] {
    report.end.tokens.input += attempts.begun * aside.total();
    report.end.usd += attempts.begun * ask.usd.value_or(0);
  };
  report.end.seconds = now_s() - asked_at;
  if (const auto* failure = std::get_if<models::Failure>(&outcome)) {
    report.end.failure = fmt::format("{}: {}", models::name(failure->kind), failure->message);
    if (failure->began) {
      report.end.tokens = counted(aside);
      report.end.usd = ask.usd.value_or(0);
    }
    report.end.maybe_paid = failure->began || attempts.begun > 0;
    add_lost();
    const std::string words_of_failure = report.end.failure;
    command(std::move(report));
    pause(fmt::format("{}: model {} does not answer: {}", id_, player_.name, words_of_failure));
    return false;
  }
  auto& reply = std::get<models::Reply>(outcome);
  name_calls_apart(reply);
  // A provider that says nothing of what it used, or that it used nothing, is charged what was set aside.
  const models::Usage taken = reply.usage.known && reply.usage.total() > 0 ? reply.usage : aside;
  report.end.reply = shared_->parts.keep(to_journal(reply));
  report.end.tokens = counted(taken);
  report.end.usd = player_.price ? models::cost(*player_.price, taken) : 0;
  add_lost();
  if (const std::string refused = command(std::move(report)); !refused.empty()) throw std::runtime_error(refused);
  answer_calls(reply, {});
  return true;
}

void Line::nudge(const models::Reply& reply) {
  if (++nudges_ > most_nudges) return end("It said no more.");
  models::Message message;
  message.text = reply.stop == models::Stop::length
                     ? "Your reply was cut off: it was too long. Say less at once, and go on."
                     : "Nobody reads this but the tools: go on with them, or call `finish` if your part is done.";
  remembered_.request.messages.push_back(std::move(message));
}

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

}  // namespace agents
