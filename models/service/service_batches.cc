// Requests in batches of their providers.
#include <algorithm>
#include <utility>

#include "models/message.h"
#include "models/service/reply_reading.h"
#include "models/service/service.h"

namespace models {

struct Service::Batched {
  Endpoint endpoint;
  int most_attempts = 1;
  kernel::Redactor redact;
  std::shared_ptr<HabitBook> habits;
  Request request;
  BatchAsking asking;
  int attempt = 0;
  std::shared_ptr<BatchRun> run{};
};

Service::Service() = default;
Service::~Service() = default;

std::uint64_t Service::ask_in_batch(const Model& model, Request request, BatchAsking asking) {
  const std::uint64_t id = ++last_;
  request.stream = false;
  auto batched = std::make_shared<std::unique_ptr<Batched>>(std::make_unique<Batched>(
      Batched{model.endpoint, model.most_attempts, with_key(model.redact, model.name, model.endpoint.key),
              model.habits ? model.habits : habits_, std::move(request), std::move(asking)}));
  http_.post([this, id, batched] {
    batched_.emplace(id, std::move(*batched));
    begin_batch(id);
  });
  return id;
}

void Service::begin_batch(std::uint64_t id) {
  const auto it = batched_.find(id);
  if (it == batched_.end()) return;  // It was cancelled meanwhile.
  Batched& one = *it->second;
  const std::string key = habit_key(one.endpoint, one.request.model);
  const auto ticket = std::exchange(one.asking.ticket, std::nullopt);
  const double patience_s = ticket ? std::max(one.asking.patience_s, seconds_until(*ticket)) : one.asking.patience_s;
  if (const auto without = without_batches_.find(key); without != without_batches_.end() && !ticket)
    return end_batch(id, BatchMissed{without->second});
  ++one.attempt;
  const auto run = std::make_shared<BatchRun>(
      http_, one.endpoint, one.asking.pace.value_or(pace_for(patience_s)),
      BatchRun::Handlers{[&one](const BatchTicket& submitted) { one.asking.on_submitted(submitted); },
                         [this, id](BatchRun::End how) { batch_ended(id, std::move(how)); }});
  one.run = run;
  if (ticket)
    run->take_up(*ticket);
  else
    run->submit(body_of(one.endpoint, one.request, one.habits->of(key)), patience_s);
}

void Service::batch_ended(std::uint64_t id, BatchRun::End how) {
  Batched& one = *batched_.at(id);
  if (auto* missed = std::get_if<BatchMissed>(&how)) {
    missed->why = one.redact(missed->why);
    if (missed->none_here) without_batches_[habit_key(one.endpoint, one.request.model)] = missed->why;
    return end_batch(id, std::move(*missed));
  }
  if (auto* left = std::get_if<BatchLeft>(&how)) {
    left->failure.message = one.redact(left->failure.message);
    return end_batch(id, std::move(*left));
  }
  if (auto* failure = std::get_if<Failure>(&how)) {
    failure->message = one.redact(failure->message);
    const double chance = std::generate_canonical<double, 32>(chance_);
    const auto wait = wait_before_retry(*failure, one.attempt, one.most_attempts, chance);
    if (!wait) return end_batch(id, ModelOutcome(std::move(*failure)));
    if (one.asking.on_retry) one.asking.on_retry(*failure, *wait);
    return http_.after(*wait, [this, id] { begin_batch(id); });
  }
  const auto& result = std::get<batches::BatchedReply>(how);
  ReplyReader reader(one.endpoint.api, one.request, {});
  reader.feed(result.status, "application/json", result.body);
  ModelOutcome outcome = std::move(reader).end({result.status, "application/json", std::nullopt, std::nullopt});
  finish_reading(outcome, one.endpoint, one.request, *one.habits, one.redact);
  if (const auto* failure = std::get_if<Failure>(&outcome)) {
    if (learn_from(*failure, one.endpoint, one.request, *one.habits, one.redact, one.asking.on_learnt))
      return begin_batch(id);
    // At once it may pass; the provider says in its batch why it did not there.
    if (may_pass(*failure)) return end_batch(id, BatchMissed{"in its batch: " + failure->message});
  }
  end_batch(id, std::move(outcome));
}

void Service::end_batch(std::uint64_t id, BatchOutcome outcome) {
  const auto it = batched_.find(id);
  const std::unique_ptr<Batched> one = std::move(it->second);
  batched_.erase(it);
  one->asking.on_end(std::move(outcome));
}

void Service::leave_batch(std::uint64_t id, bool cancels) {
  const auto it = batched_.find(id);
  if (it == batched_.end()) return;
  if (it->second->run) it->second->run->stop(cancels);
  end_batch(id, BatchLeft{{.kind = Failure::Kind::cancelled, .message = "cancelled"}});
}

void Service::cancel_batch(std::uint64_t id) {
  http_.post([this, id] {
    if (batched_.contains(id)) return leave_batch(id, true);
    cancel(id);
  });
}

}  // namespace models
