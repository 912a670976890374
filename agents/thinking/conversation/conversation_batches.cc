// How a conversation asks its model in a batch of the provider: the batch is recorded as soon as there is one, and
// taken up by a later program.
#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "agents/thinking/conversation/conversation.h"
#include "kernel/domain/journal.h"

namespace agents {

namespace {

/// What is heard of a request in a batch; guarded by the signal's mutex.
struct News {
  std::deque<models::BatchTicket> tickets;
  std::optional<std::pair<models::BatchOutcome, Attempts>> end;
};

}  // namespace

std::pair<models::BatchOutcome, Attempts> Conversation::ask_in_batch(const kernel::CallBatch* taken_up) {
  std::optional<models::BatchTicket> ticket;
  if (taken_up) ticket = {taken_up->id, taken_up->service, taken_up->until_ms};
  const auto news = std::make_shared<News>();
  const auto hear = [news, signal = signal_](auto change) {
    {
      const std::lock_guard lock(signal->mutex);
      change(*news);
    }
    signal->changed.notify_all();
  };
  may_be_cancelled(assigned_.model->ask_in_batch(
                       remembered_.request, assigned_.patience_s, std::move(ticket),
                       [hear](models::BatchTicket submitted) {
                         hear([&](News& now) { now.tickets.push_back(std::move(submitted)); });
                       },
                       [hear](models::BatchOutcome outcome, Attempts attempts) {
                         hear([&](News& now) { now.end.emplace(std::move(outcome), std::move(attempts)); });
                       }),
                   true);
  while (true) {
    std::unique_lock lock(signal_->mutex);
    signal_->changed.wait(lock, [&] { return signal_->stopped || !news->tickets.empty() || news->end; });
    if (news->tickets.empty()) {
      signal_->cancel = nullptr;
      if (!news->end || signal_->stopped) throw Stopped{};
      return std::move(*news->end);
    }
    const models::BatchTicket submitted = std::move(news->tickets.front());
    news->tickets.pop_front();
    lock.unlock();
    done_or_throw(
        command(kernel::ReportBatch{call_, clean(submitted.id), clean(submitted.service), submitted.until_ms}));
  }
}

std::optional<Conversation::Heard> Conversation::heard(const kernel::CallBatch* taken_up) {
  if (!taken_up && assigned_.patience_s <= 0) return ask_at_once();
  auto [outcome, attempts] = ask_in_batch(taken_up);
  if (auto* answered = std::get_if<models::ModelOutcome>(&outcome)) {
    attempts.by_batch = true;
    if (const auto* reply = std::get_if<models::Reply>(answered); reply && parts_.on_text)
      parts_.on_text(study_, id_, reply->text);
    return Heard(std::move(*answered), std::move(attempts));
  }
  if (const auto* left = std::get_if<models::BatchLeft>(&outcome)) {
    const std::string words = fmt::format("{}: {}", models::name(left->failure.kind), left->failure.message);
    pause({kernel::ReasonCode::model_without_reply, {{"line", id_}, {"model", assigned_.name}, {"failure", words}}});
    return std::nullopt;
  }
  const auto& missed = std::get<models::BatchMissed>(outcome);
  const bool recorded = inspect<bool>([number = call_](const kernel::Journal& journal) {
    const kernel::ModelCall* call = journal.thinking.call(number);
    return call && call->in_batch();
  });
  // Once it is asked at once, no later program may take the batch up.
  if (recorded) done_or_throw(command(kernel::ReportBatch{call_, "", "", 0}));
  Heard now = ask_at_once();
  now.second.all += attempts.all;
  now.second.begun += attempts.begun + (missed.maybe_paid ? 1 : 0);
  if (!missed.why.empty()) attempts.learnt.push_back(missed.why + "; asked at once");
  now.second.learnt.insert(now.second.learnt.begin(), std::make_move_iterator(attempts.learnt.begin()),
                           std::make_move_iterator(attempts.learnt.end()));
  return now;
}

}  // namespace agents
