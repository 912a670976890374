// How a conversation asks its model: within the context, through outages, refusals and replies without a tool call.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "agents/thinking/briefing/briefing.h"
#include "agents/thinking/calls/fit_for_services.h"
#include "agents/thinking/conversation/conversation.h"
#include "kernel/domain/journal.h"
#include "models/protocols/written_calls.h"

namespace agents {

using kernel::Reason;
using kernel::ReasonCode;
using models::Failure;

namespace {

constexpr int most_nudges = 3, most_too_long = 3;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double seconds_since(std::int64_t wall_ms) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::max(0.0, std::chrono::duration<double>(now).count() - static_cast<double>(wall_ms) / 1000);
}

kernel::TokenCount counted(const models::TokenUsage& usage) {
  return {usage.input, usage.output, usage.cache_read, usage.cache_written};
}

/// On one line each: the journal has what the provider said to the letter.
kernel::ReplyOrigin origin_of(const models::Reply& reply) {
  return {models::one_line_of(reply.model), models::one_line_of(reply.tier), models::one_line_of(reply.fingerprint)};
}

Reason why_stated(const std::string& words) {
  return words.empty() ? Reason{} : Reason{ReasonCode::stated_why, {{"why", words}}};
}

constexpr const char* asks_for_summary =
    "This conversation has almost filled the context of the model. It begins anew after your next reply: with the "
    "task, with the study as the kernel knows it then, and with what you write now. Call no tool now. Write for "
    "yourself, in at most 600 words: what you found out, with files and lines; what you decided and why; which files "
    "you changed and how; what failed; what is left to do, and the next step.";

constexpr const char* without_summary =
    "(The conversation became too long for the context of the model before a summary could be written. The last "
    "answers were too long: ask for less at once.)";

/// Whether the model ordered runs: some minutes may then lie between two requests.
bool has_ordered_runs(const models::Request& request) {
  return std::ranges::any_of(request.messages, [](const models::Message& message) {
    return std::ranges::any_of(message.calls, [](const models::ToolCall& call) { return orders_runs(call.name); });
  });
}

}  // namespace

/// The most tokens of a request and its reply together; 0 if it is not known.
std::int64_t Conversation::context() const {
  const std::int64_t learnt = assigned_.model->habits().context, stated = remembered_.context;
  return learnt > 0 && (stated == 0 || learnt < stated) ? learnt : stated;
}

/// Near the end of the context asks for a summary, with which the conversation begins anew.
bool Conversation::make_room() {
  models::Request& request = remembered_.request;
  if (!assigned_.template_request.model.empty()) request.max_output = assigned_.template_request.max_output;
  const std::int64_t most = context();
  if (!remembered_.summing) {
    if (const auto room = room_for_reply(request, most)) {
      request.max_output = *room;
      return true;
    }
    if (request.messages.size() < 3) {
      pause({ReasonCode::context_too_small, {{"line", id_}, {"model", assigned_.name}, {"context", most}}});
      return false;
    }
    put_aside_writes();
    drop_to_fit(request, most);
    if (request.messages.size() < 3) {
      begin_anew(without_summary);
      return make_room();
    }
    std::string& last = request.messages.back().text;
    last += (last.empty() ? "" : "\n\n") + std::string(asks_for_summary);
    remembered_.summing = true;
    kept_ = {};  // Exchanges at the end may have been dropped.
  }
  const std::int64_t left = std::max<std::int64_t>(256, most - estimated_tokens(request));
  request.max_output = static_cast<int>(std::min<std::int64_t>(request.max_output, left));
  return true;
}

void Conversation::begin_anew(const std::string& summary) {
  remembered_.summing = false;
  kept_ = {};
  counted_ = {};
  pictures_ = 0;
  begin_with("\n\n" + quoted("what you wrote when the conversation had become too long", summary, 20000));
}

void Conversation::may_be_cancelled(std::uint64_t number, bool in_batch) {
  bool stopped = false;
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->cancel = [model = assigned_.model, number, in_batch](bool for_good) {
      for_good&& in_batch ? model->cancel_batch(number) : model->cancel(number);
    };
    stopped = signal_->stopped;  // `stop` came before `cancel` was set.
  }
  if (stopped) assigned_.model->cancel(number);
}

Conversation::Heard Conversation::ask_at_once() {
  const auto said = std::make_shared<Said<Heard>>();
  const auto tell = teller(said, signal_);
  may_be_cancelled(assigned_.model->ask(
                       remembered_.request,
                       [on_text = parts_.on_text, study = study_, line = id_](std::string_view text) {
                         if (on_text) on_text(study, line, text);
                       },
                       [tell](models::ModelOutcome outcome, Attempts attempts) {
                         tell({std::move(outcome), std::move(attempts)});
                       }),
                   false);
  auto outcome = wait_for(said, *signal_);
  const std::lock_guard lock(signal_->mutex);
  signal_->cancel = nullptr;
  return outcome;
}

bool Conversation::ask_model() {
  const auto words = inspect<std::pair<std::string, int>>([this](const kernel::Journal& journal) {
    return std::pair(words_of_people(journal, remembered_.heard), static_cast<int>(journal.steering.size()));
  });
  if (!words.first.empty() && !remembered_.summing) {
    models::Message& last = remembered_.request.messages.back();
    last.text += (last.text.empty() ? "" : "\n\n") + told(words.first);
    remembered_.heard = words.second;
  }
  if (!make_room()) return false;
  remembered_.request.long_cache = has_ordered_runs(remembered_.request);
  const models::TokenUsage aside = models::set_aside(remembered_.request);
  kernel::AskModel ask{id_, assigned_.name, keep_request(), aside.total(), {}, instead_, shown_};
  ask.asked_for = remembered_.request.model;
  ask.effort = models::name(remembered_.request.effort);
  if (assigned_.price) ask.usd = models::cost(*assigned_.price, aside);
  {
    // Only calls of `go_on` after this point count.
    const std::lock_guard lock(signal_->mutex);
    signal_->again = false;
  }
  const kernel::CommandOutcome granted = command(ask);
  if (const auto* refused = std::get_if<kernel::Rejection>(&granted))
    pause({ReasonCode::line_stopped, {{"line", id_}, {"why", std::vector{refused->stated}}}});
  const auto* done = std::get_if<kernel::Done>(&granted);
  if (!done || !done->call) return false;
  call_ = *done->call;
  instead_ = {};
  shown_.clear();
  return hear({aside, ask.usd});
}

bool Conversation::hear(const Asked& asked) {
  const models::TokenUsage& aside = asked.aside;
  const double asked_at = now_s() - (asked.batch ? seconds_since(asked.batch->since_ms) : 0);
  auto answer = heard(asked.batch);
  if (!answer) return false;
  auto& [outcome, attempts] = *answer;
  kernel::ReportReply report{call_, {}};
  report.end.attempts = attempts.all;
  report.end.notes = attempts.learnt;
  report.end.seconds = now_s() - asked_at;
  // The provider may charge for attempts that broke off, but does not report how much.
  report.end.tokens.input = attempts.begun * aside.total();
  report.end.usd = attempts.begun * asked.usd.value_or(0);
  report.end.maybe_paid = attempts.begun > 0;
  const auto add = [&](const models::TokenUsage& used, double usd) {
    const kernel::TokenCount more = counted(used);
    report.end.tokens.input += more.input;
    report.end.tokens.output += more.output;
    report.end.tokens.cache_read += more.cache_read;
    report.end.tokens.cache_written += more.cache_written;
    report.end.usd += usd;
  };
  if (const auto* failure = std::get_if<Failure>(&outcome)) {
    if (maybe_charged(*failure)) {
      add(aside, asked.usd.value_or(0));
      report.end.maybe_paid = true;
    }
    return after_failure(*failure, std::move(report));
  }
  auto& reply = std::get<models::Reply>(outcome);
  report.end.maybe_paid = false;
  name_calls_apart(reply);
  // If a provider reports no use, or less than the texts can be, the amount that was set aside is charged.
  const models::TokenUsage taken = reply.usage.known && reply.usage.total() > 0 ? reply.usage : aside;
  const std::int64_t fewest = models::fewest_tokens(remembered_.request, reply);
  if (!reply.usage.known && reply.usage.total() > 0)
    report.end.understated = kernel::UnderstatedUse{reply.usage.total(), fewest};
  report.end.reply = parts_.keep(to_journal(reply));
  report.end.origin = origin_of(reply);
  report.end.by_batch = attempts.by_batch;
  add(taken, assigned_.price ? models::cost(*assigned_.price, taken, attempts.by_batch) : 0);
  done_or_throw(command(std::move(report)));
  waits_ = too_long_ = 0;
  const bool plausible = reply.usage.known && reply.usage.total() >= fewest;
  const Counted now = as_counted(remembered_.request, plausible ? reply.usage.total() - reply.usage.output : 0);
  if (is_cut(now, counted_)) {
    // Seven bytes to a token are the most that a text may have.
    const std::int64_t least =
        std::max(now.estimated, counted_.read * 7 / 3 + now.estimated - counted_.estimated) * 3 / 7;
    pause({ReasonCode::prompt_cut, {{"line", id_}, {"model", assigned_.name}, {"read", now.read}, {"least", least}}});
    return false;
  }
  // While the count stays the same, what was added since it was first seen says whether the prompt is cut.
  if (now.read != counted_.read) counted_ = now;
  return use_reply(reply, {});
}

bool Conversation::use_reply(const models::Reply& reply, const std::vector<kernel::ToolReturn>& answered) {
  ++replies_;
  if (remembered_.summing) {
    begin_anew(reply.text);
    return true;
  }
  if (reply.stop == models::Stop::withheld && reply.calls.empty()) {
    const Reason why = why_stated(models::one_line_of(reply.refusal));
    return hand_over(
        {ReasonCode::instead_of_refusing, {{"model", assigned_.name}, {"why", std::vector{why}}}},
        {ReasonCode::model_refuses, {{"line", id_}, {"model", assigned_.name}, {"why", std::vector{why}}}});
  }
  return answer_calls(reply, answered);
}

/// Goes on with the role's other model, or pauses for the other reason if it has none.
bool Conversation::hand_over(Reason instead, Reason otherwise) {
  const std::string other = assigned_.fallback;
  if (other.empty()) {
    pause(std::move(otherwise));
    return false;
  }
  if (!assign(other)) return false;
  take_settings();
  instead_ = std::move(instead);
  counted_ = {};
  return true;
}

/// After a request that was too long. Returns whether a shorter one may help.
bool Conversation::learn_context(const Failure& failure) {
  constexpr std::int64_t least = 1024;
  remembered_.context = failure.context > 0 ? failure.context : estimated_tokens(remembered_.request) * 3 / 4;
  return ++too_long_ <= most_too_long && remembered_.context > least;
}

bool Conversation::after_failure(const Failure& failure, kernel::ReportReply report) {
  const std::string words = fmt::format("{}: {}", models::name(failure.kind), failure.message);
  const std::string model = assigned_.name;
  if (models::may_pass(failure)) {
    wait_for_provider(failure, std::move(report));
    return true;
  }
  report.end.failure = kernel::as_said(words);
  done_or_throw(command(std::move(report)));
  if (failure.kind == Failure::Kind::too_long) {
    if (learn_context(failure)) return true;
    if (remembered_.request.messages.size() < 3) {
      pause({ReasonCode::context_too_small, {{"line", id_}, {"model", model}, {"context", remembered_.context}}});
      return false;
    }
  }
  if (failure.kind == Failure::Kind::no_model)
    return hand_over({ReasonCode::instead_of_retired, {{"model", model}, {"failure", failure.message}}},
                     {ReasonCode::model_retired, {{"line", id_}, {"model", model}, {"failure", failure.message}}});
  if (failure.kind == Failure::Kind::withheld) {
    const Reason why = why_stated(failure.message);
    return hand_over({ReasonCode::instead_of_refusing, {{"model", model}, {"why", std::vector{why}}}},
                     {ReasonCode::model_refuses, {{"line", id_}, {"model", model}, {"why", std::vector{why}}}});
  }
  pause({ReasonCode::model_without_reply, {{"line", id_}, {"model", model}, {"failure", words}}});
  return false;
}

/// Reports that the line waits, and returns when the model is to be asked again. Throws Stopped.
void Conversation::wait_for_provider(const Failure& failure, kernel::ReportReply report) {
  constexpr double first_s = 15, longest_s = 300;
  double wait = std::min(first_s * std::pow(2.0, std::min(waits_, 10)), longest_s);
  wait = std::max(wait, std::min(failure.retry_after_s.value_or(0), 24 * 3600.0));
  ++waits_;
  report.end.failure = {
      ReasonCode::provider_awaited,
      {{"model", assigned_.name}, {"failure", fmt::format("{}: {}", models::name(failure.kind), failure.message)}}};
  report.end.again_in_s = wait;
  done_or_throw(command(std::move(report)));
  std::unique_lock lock(signal_->mutex);
  signal_->changed.wait_for(lock, std::chrono::duration<double>(wait / parts_.wait_speed),
                            [this] { return signal_->stopped; });
  if (signal_->stopped) throw Stopped{};
}

/// Answers a reply without a tool call. Returns false if the study is paused, because that does not help.
bool Conversation::nudge(const models::Reply& reply) {
  const bool cut = reply.stop == models::Stop::length;
  const bool thought = cut && reply.text.find_first_not_of(" \t\r\n") == reply.text.npos;
  const bool written = models::looks_like_a_call(reply.text, remembered_.request.tools);
  if (++nudges_ > most_nudges) {
    // A study concludes without them.
    if (role_ == "analysis" || role_ == "writeup") {
      end({ReasonCode::line_without_tools});
      return true;
    }
    const std::int64_t most = remembered_.request.max_output;
    const Reason why = thought   ? Reason{ReasonCode::cut_off_thinking, {{"most", most}}}
                       : cut     ? Reason{ReasonCode::cut_off_replies, {{"most", most}}}
                       : written ? Reason{ReasonCode::writes_calls_as_text}
                                 : Reason{ReasonCode::talks_only};
    pause({ReasonCode::line_makes_no_progress,
           {{"line", id_},
            {"replies", std::int64_t{most_nudges + 1}},
            {"model", assigned_.name},
            {"why", std::vector{why}}}});
    return false;
  }
  models::Message message;
  message.text =
      thought ? "Your reply was cut off while you still thought, so nothing of it arrived. Think less, and call a tool."
      : cut   ? "Your reply was cut off: it was too long. Say less at once, and call a tool."
      : written
          ? "Your reply holds a tool call as text. That does nothing: use the tool calls of the interface, with the "
            "name of the tool and its arguments as JSON."
          : "Text outside of tool calls has no effect: call a tool, or `finish` if your part is done.";
  remembered_.request.messages.push_back(std::move(message));
  return true;
}

}  // namespace agents
