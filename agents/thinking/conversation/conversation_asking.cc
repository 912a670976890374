// What a conversation asks its model, and what it records of the reply.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "agents/thinking/briefing/briefing.h"
#include "agents/thinking/calls/fit_for_services.h"
#include "agents/thinking/conversation/conversation.h"
#include "kernel/domain/journal.h"

namespace agents {

using kernel::Study;

namespace {

constexpr int most_nudges = 3;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

kernel::TokenCount counted(const models::Usage& usage) {
  return {usage.input, usage.output, usage.cache_read, usage.cache_written};
}

}  // namespace

kernel::BlobRef Conversation::keep_request() {
  const std::size_t size = remembered_.request.messages.size();
  if (!kept_.blob.sha256.empty()) kept_.messages = std::min(kept_.messages, size - 1);  // The last one may have grown.
  kept_.blob = parts_.keep(kept_.blob.sha256.empty() ? to_journal(remembered_) : to_journal(remembered_, kept_));
  kept_.messages = size;
  return kept_.blob;
}

bool Conversation::ask_model() {
  const auto words = inspect<std::pair<std::string, int>>([this](const Study& study) {
    return std::pair(words_of_people(study, remembered_.heard), static_cast<int>(study.steering.size()));
  });
  std::vector<models::Message>& messages = remembered_.request.messages;
  if (!words.first.empty()) {
    models::Message& last = messages.back();
    last.text += (last.text.empty() ? "" : "\n\n") + clean(words.first);
  }
  remembered_.heard = words.second;
  if (make_room(remembered_.request, remembered_.context)) kept_ = {};
  const models::Usage aside = models::set_aside(remembered_.request);
  kernel::AskModel ask{id_, player_.name, keep_request(), aside.total(), {}};
  if (player_.price) ask.usd = models::cost(*player_.price, aside);
  {
    // Only calls of `go_on` after this point count.
    const std::lock_guard lock(signal_->mutex);
    signal_->again = false;
  }
  const kernel::Outcome granted = command(ask);
  if (const auto* refused = std::get_if<kernel::Rejection>(&granted))
    pause(fmt::format("{}: {}", id_, refused->reason));
  const auto* done = std::get_if<kernel::Done>(&granted);
  if (!done || !done->call) return false;
  call_ = *done->call;

  const auto said = std::make_shared<Said<std::pair<models::Outcome, Attempts>>>();
  const auto tell = teller(said, signal_);
  const double asked_at = now_s();
  const std::uint64_t number = player_.model->ask(
      remembered_.request,
      [on_text = parts_.on_text, study = study_, line = id_](std::string_view text) {
        if (on_text) on_text(study, line, text);
      },
      [tell](models::Outcome outcome, Attempts attempts) {
        tell({std::move(outcome), attempts});
      });
  bool stopped = false;
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->cancel = [model = player_.model, number] { model->cancel(number); };
    stopped = signal_->stopped;  // `stop` came before `cancel` was set.
  }
  if (stopped) player_.model->cancel(number);
  auto [outcome, attempts] = wait_for(said, *signal_);
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->cancel = nullptr;
  }
  kernel::ReportReply report{call_, {}};
  report.end.attempts = attempts.all;
  // The provider may charge for attempts that broke off, but does not report how much.
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
  // If a provider reports no use, the amount that was set aside is charged.
  const models::Usage taken = reply.usage.known && reply.usage.total() > 0 ? reply.usage : aside;
  report.end.reply = parts_.keep(to_journal(reply));
  report.end.tokens = counted(taken);
  report.end.usd = player_.price ? models::cost(*player_.price, taken) : 0;
  add_lost();
  done_or_throw(command(std::move(report)));
  answer_calls(reply, {});
  return true;
}

void Conversation::nudge(const models::Reply& reply) {
  if (++nudges_ > most_nudges) return end("It said no more.");
  models::Message message;
  message.text = reply.stop == models::Stop::length
                     ? "Your reply was cut off: it was too long. Say less at once, and go on."
                     : "Nobody reads this but the tools: go on with them, or call `finish` if your part is done.";
  remembered_.request.messages.push_back(std::move(message));
}

}  // namespace agents
