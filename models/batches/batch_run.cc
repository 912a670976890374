#include "models/batches/batch_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "models/protocols/dialect.h"
#include "models/protocols/lessons.h"

namespace models {

namespace {

std::int64_t wall_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Why the exchange brought no reply; none if it did.
std::optional<Failure> failure_in(const HttpEnd& end, const std::string& body) {
  if (!end.failure && end.status / 100 == 2) return std::nullopt;
  Failure failure = end.failure ? *end.failure : failure_of(server_error(end.status, body));
  failure.status = end.status;
  failure.retry_after_s = end.retry_after_s;
  return failure;
}

/// Whether a person can put it right while the batch goes on.
bool is_about_key(const Failure& failure) {
  return failure.kind == Failure::Kind::unauthorised || failure.kind == Failure::Kind::unpaid;
}

/// The status of an address that the server does not serve.
bool is_unknown(int status) {
  return status == 404 || status == 405 || status == 501;
}

}  // namespace

double seconds_until(const BatchTicket& ticket) {
  return static_cast<double>(ticket.until_ms - wall_ms()) / 1000;
}

BatchPace pace_for(double patience_s) {
  constexpr BatchPace slowest{};
  return {std::clamp(patience_s / 2000, 0.05, slowest.first), std::clamp(patience_s / 100, 1.0, slowest.longest),
          slowest.cancelled};
}

BatchRun::BatchRun(Http& http, Endpoint endpoint, BatchPace pace, Handlers handlers)
    : http_(http), endpoint_(std::move(endpoint)), pace_(pace), handlers_(std::move(handlers)), pause_(pace.first) {}

void BatchRun::submit(const nlohmann::json& body, double patience_s) {
  body_ = body;
  patience_s_ = patience_s;
  if (batches::uploads(endpoint_))
    send(batches::upload(endpoint_, body_), &BatchRun::uploaded);
  else
    send(batches::creation(endpoint_, body_, ""), &BatchRun::created);
}

void BatchRun::take_up(const BatchTicket& ticket) {
  ticket_ = ticket;
  if (!batches::is_id(ticket.id)) return end(BatchMissed{"`" + ticket.id + "` is no batch", true});
  if (ticket.service != shown_url(endpoint_.base_url))
    return end(BatchMissed{fmt::format("batch {} is at {}, and the model is at {} now", ticket.id, ticket.service,
                                       shown_url(endpoint_.base_url)),
                           true});
  look();
}

void BatchRun::stop(bool cancels) {
  over_ = true;
  if (exchange_ != 0) http_.cancel(exchange_);
  if (!cancels || ticket_.id.empty()) return;
  http_.start(batches::cancellation(endpoint_, ticket_.id),
              {[](int, std::string_view, std::string_view) { return true; }, [](const HttpEnd&) {}});
}

void BatchRun::send(const HttpRequest& request, Step step) {
  const auto body = std::make_shared<std::string>();
  HttpHandlers handlers;
  handlers.on_bytes = [body](int, std::string_view, std::string_view bytes) {
    body->append(bytes);
    return true;
  };
  handlers.on_end = [weak = weak_from_this(), body, step](const HttpEnd& end) {
    const auto self = weak.lock();
    if (!self || self->over_) return;
    self->exchange_ = 0;
    (self.get()->*step)(end, *body);
  };
  exchange_ = http_.start(request, std::move(handlers));
}

bool BatchRun::refused(const HttpEnd& http_end, const std::string& body) {
  const auto failure = failure_in(http_end, body);
  if (!failure) return false;
  if (may_pass(*failure))
    end(*failure);
  else
    end(BatchMissed{"its batch API refused the request: " + failure->message, false, is_unknown(failure->status)});
  return true;
}

void BatchRun::uploaded(const HttpEnd& http_end, const std::string& body) {
  if (refused(http_end, body)) return;
  const std::string file = batches::id_in(body);
  if (file.empty()) return end(BatchMissed{"its reply to the upload of a batch names no file"});
  send(batches::creation(endpoint_, body_, file), &BatchRun::created);
}

void BatchRun::created(const HttpEnd& http_end, const std::string& body) {
  if (refused(http_end, body)) return;
  body_ = nullptr;
  ticket_.id = batches::id_in(body);
  if (ticket_.id.empty()) return end(BatchMissed{"its reply to a new batch names none", true});
  ticket_.service = shown_url(endpoint_.base_url);
  ticket_.until_ms = wall_ms() + static_cast<std::int64_t>(patience_s_ * 1000);
  handlers_.on_submitted(ticket_);
  wait();
}

void BatchRun::look() {
  send(batches::look(endpoint_, ticket_.id), &BatchRun::looked);
}

void BatchRun::looked(const HttpEnd& http_end, const std::string& body) {
  if (const auto failure = failure_in(http_end, body)) {
    if (is_about_key(*failure)) return end(BatchLeft{*failure});
    if (may_pass(*failure)) return wait(failure->retry_after_s.value_or(0));
    return end(BatchMissed{fmt::format("batch {} cannot be looked at: {}", ticket_.id, failure->message), true});
  }
  const auto view = batches::view_of(endpoint_, body);
  if (!view || !view->over) return wait(http_end.retry_after_s.value_or(0));
  results_ = {view->results.rbegin(), view->results.rend()};
  why_ = view->why;
  fetch();
}

/// Waits for the next look, and once the patience is over asks for the batch's end first: what was served until then is
/// still read, because it is paid for.
void BatchRun::wait(double at_least_s) {
  const double left = seconds_until(ticket_);
  const double pause = std::max(pause_, at_least_s);
  pause_ = std::min(pause_ * 1.5, pace_.longest);
  if (left > 0) return go_on_after(std::min(pause, left), &BatchRun::look);
  if (!cancel_until_) {
    cancel_until_ = Http::now() + pace_.cancelled;
    pause_ = pace_.first;
    return send(batches::cancellation(endpoint_, ticket_.id), &BatchRun::cancelled);
  }
  if (Http::now() < *cancel_until_) return go_on_after(pause, &BatchRun::look);
  end(BatchMissed{
      fmt::format("batch {} had no reply in time, and it is not known whether it was cancelled", ticket_.id), true});
}

/// Whatever was answered: the next look tells.
void BatchRun::cancelled(const HttpEnd&, const std::string&) {
  look();
}

void BatchRun::fetch() {
  if (results_.empty())
    return end(BatchMissed{cancel_until_ ? fmt::format("batch {} had no reply in time, and was cancelled", ticket_.id)
                                         : fmt::format("batch {} {}", ticket_.id, why_)});
  send(batches::results(endpoint_, results_.back()), &BatchRun::fetched);
}

void BatchRun::fetched(const HttpEnd& http_end, const std::string& body) {
  if (const auto failure = failure_in(http_end, body)) {
    constexpr int most_fetches = 20;
    if (is_about_key(*failure)) return end(BatchLeft{*failure});
    if (may_pass(*failure) && ++fetches_ < most_fetches) {
      const double pause = std::max(pause_, failure->retry_after_s.value_or(0));
      pause_ = std::min(pause_ * 1.5, pace_.longest);
      return go_on_after(pause, &BatchRun::fetch);
    }
    return end(
        BatchMissed{fmt::format("the results of batch {} cannot be read: {}", ticket_.id, failure->message), true});
  }
  results_.pop_back();
  auto result = batches::result_in(endpoint_.api, body);
  if (!result) return fetch();
  if (result->status > 0) return end(std::move(*result));
  why_ = why_.substr(0, why_.find(' ')) + ": " + result->body;
  results_.clear();
  fetch();
}

void BatchRun::go_on_after(double seconds, void (BatchRun::*next)()) {
  http_.after(seconds, [weak = weak_from_this(), next] {
    const auto self = weak.lock();
    if (self && !self->over_) (self.get()->*next)();
  });
}

void BatchRun::end(End how) {
  over_ = true;
  handlers_.on_end(std::move(how));
}

}  // namespace models
