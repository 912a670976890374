#include "models/service/service.h"

#include <iterator>
#include <utility>

#include "models/message.h"
#include "models/service/reply_reading.h"

namespace models {

namespace {

/// Some servers begin a stream before they look at the request, and end it without a word if they refuse that.
bool is_mute_stream(const HttpEnd& end, const Failure& failure) {
  return failure.kind == Failure::Kind::cut_off && !failure.began && end.status / 100 == 2 &&
         end.content_type.starts_with("text/event-stream");
}

/// Texts of one request for embeddings: below the servers' limits, and small enough that a reply with 4,096 numbers per
/// text is not cut off.
constexpr std::size_t most_texts = 64, most_batch_bytes = 256 << 10;

}  // namespace

std::uint64_t Service::ask(const Model& model, Request request, Asking asking) {
  const std::uint64_t id = ++last_;
  auto call = std::make_shared<std::unique_ptr<Call>>(std::make_unique<Call>());
  (*call)->model = model.name;
  (*call)->endpoint = model.endpoint;
  (*call)->most_attempts = model.most_attempts;
  (*call)->redact = with_key(model.redact, model.name, model.endpoint.key);
  (*call)->habits = model.habits ? model.habits : habits_;
  (*call)->request = std::move(request);
  (*call)->asking = std::move(asking);
  http_.post([this, model, call, id] { add(model, std::move(*call), id); });
  return id;
}

void Service::add(const Model& model, std::unique_ptr<Call> call, std::uint64_t id) {
  call->tokens = set_aside(call->request).total();
  Queue& queue = queues_.try_emplace(model.name, model.limits).first->second;
  queue.add(id, call->asking.urgency, call->tokens, Http::now());
  calls_.emplace(id, std::move(call));
  send_next(model.name);
}

void Service::cancel(std::uint64_t id) {
  http_.post([this, id] {
    const auto it = calls_.find(id);
    if (it == calls_.end()) return leave_batch(id, false);
    Call& call = *it->second;
    if (call.sent) {
      http_.cancel(call.exchange);
      return;
    }
    queues_.at(call.model).drop(id);  // Or it waits for a retry.
    finish(id, Failure{.kind = Failure::Kind::cancelled, .message = "cancelled"});
  });
}

void Service::send_next(const std::string& model) {
  Queue& queue = queues_.at(model);
  const double now = Http::now();
  while (const auto id = queue.next(now)) send(*id, *calls_.at(*id));
  const std::optional<double> then = queue.next_chance(now);
  if (!then) return;
  double& woken = woken_[model];
  if (woken > now && woken <= *then) return;
  woken = *then;
  http_.after(*then - now, [this, model] { send_next(model); });
}

void Service::send(std::uint64_t id, Call& call) {
  call.sent = true;
  ++call.attempt;
  call.shown = std::make_unique<kernel::RedactedStream>(call.redact);
  call.reader = std::make_unique<ReplyReader>(call.endpoint.api, call.request, [&call](std::string_view text) {
    if (!call.asking.on_text) return;
    if (const std::string shown = call.shown->feed(text); !shown.empty()) call.asking.on_text(shown);
  });
  HttpHandlers handlers;
  handlers.on_bytes = [this, &call, id](int status, std::string_view type, std::string_view bytes) {
    const bool was_done = call.reader->done();
    call.reader->feed(status, type, bytes);
    // The server's next bytes close the stream, which keeps the connection for the next request.
    constexpr double until_it_closes_s = 0.5;
    if (!was_done && call.reader->done())
      http_.after(until_it_closes_s, [this, id, exchange = call.exchange] {
        const auto it = calls_.find(id);
        if (it != calls_.end() && it->second->sent && it->second->exchange == exchange) http_.cancel(exchange);
      });
    return true;
  };
  handlers.on_end = [this, id](const HttpEnd& end) { ended(id, end); };
  const Habits habits = call.habits->of(habit_key(call.endpoint, call.request.model));
  call.exchange = http_.start(to_http(call.endpoint, call.request, habits), std::move(handlers));
}

void Service::ended(std::uint64_t id, const HttpEnd& end) {
  Call& call = *calls_.at(id);
  const double now = Http::now();
  ModelOutcome outcome = std::move(*call.reader).end(end);
  if (const std::string rest = call.shown->end(); !rest.empty() && call.asking.on_text) call.asking.on_text(rest);
  finish_reading(outcome, call.endpoint, call.request, *call.habits, call.redact);
  call.sent = false;
  call.reader.reset();
  const auto* reply = std::get_if<Reply>(&outcome);
  const std::int64_t taken = reply && reply->usage.known ? reply->usage.total() : call.tokens;
  Queue& queue = queues_.at(call.model);
  queue.ended(call.tokens, taken, now);
  const auto* failure = std::get_if<Failure>(&outcome);
  if (failure && is_mute_stream(end, *failure)) call.request.stream = false;  // A whole reply says what is wrong.
  const double chance = std::generate_canonical<double, 32>(chance_);
  std::optional<double> wait;
  if (failure) wait = wait_before_retry(*failure, call.attempt, call.most_attempts, chance);
  if (failure && learn_from(*failure, call.endpoint, call.request, *call.habits, call.redact, call.asking.on_learnt)) {
    --call.attempt;  // It was not sent as this server wants it.
    wait = 0;
  }
  if (failure && failure->kind == Failure::Kind::busy && failure->retry_after_s && wait)
    queue.hold_until(now + *failure->retry_after_s);
  const std::string model = call.model;
  if (!wait) {
    finish(id, std::move(outcome));
  } else {
    if (call.asking.on_retry && *wait > 0) call.asking.on_retry(*failure, *wait);
    http_.after(*wait, [this, id] {
      const auto it = calls_.find(id);
      if (it == calls_.end()) return;  // It was cancelled meanwhile.
      queues_.at(it->second->model).add(id, it->second->asking.urgency, it->second->tokens, Http::now());
      send_next(it->second->model);
    });
  }
  send_next(model);
}

void Service::finish(std::uint64_t id, ModelOutcome outcome) {
  const auto it = calls_.find(id);
  const std::unique_ptr<Call> call = std::move(it->second);
  calls_.erase(it);
  call->asking.on_end(std::move(outcome));
}

struct Service::Embedding {
  Model model;
  std::string name;
  std::vector<std::string> texts;  ///< Texts that were sent are moved out.
  std::size_t asked = 0;
  std::function<void(std::variant<Embedded, Failure>)> on_end;
  Urgency urgency = Urgency::critical;
  Embedded embedded{};
};

void Service::embed(const Model& model, const std::string& name, std::vector<std::string> texts,
                    std::function<void(std::variant<Embedded, Failure>)> on_end, Urgency urgency) {
  const auto embedding =
      std::make_shared<Embedding>(Embedding{model, name, std::move(texts), 0, std::move(on_end), urgency});
  http_.post([this, embedding] { embed_more(embedding); });
}

void Service::embed_more(const std::shared_ptr<Embedding>& whole) {
  if (whole->model.endpoint.api != Protocol::openai)
    return whole->on_end(Failure{.kind = Failure::Kind::refused, .message = "this protocol has no embeddings"});
  if (whole->asked == whole->texts.size()) return whole->on_end(std::move(whole->embedded));
  Request request;
  request.model = whole->name;
  for (std::size_t bytes = 0; whole->asked < whole->texts.size() && request.texts.size() < most_texts;) {
    std::string& next = whole->texts[whole->asked];
    bytes += next.size();
    if (bytes > most_batch_bytes && !request.texts.empty()) break;
    request.texts.push_back(std::move(next));
    ++whole->asked;
  }
  Asking asking;
  asking.urgency = whole->urgency;
  asking.on_end = [this, whole](ModelOutcome outcome) {
    if (auto* failure = std::get_if<Failure>(&outcome)) return whole->on_end(std::move(*failure));
    auto& reply = std::get<Reply>(outcome);
    auto& vectors = whole->embedded.vectors;
    if (!vectors.empty() && vectors.front().size() != reply.vectors.front().size())
      return whole->on_end(garbled("the vectors are of different lengths", true));
    TokenUsage& usage = whole->embedded.usage;
    usage.known = reply.usage.known && (vectors.empty() || usage.known);
    usage.input += reply.usage.input;
    std::move(reply.vectors.begin(), reply.vectors.end(), std::back_inserter(vectors));
    embed_more(whole);
  };
  ask(whole->model, std::move(request), std::move(asking));
}

}  // namespace models
