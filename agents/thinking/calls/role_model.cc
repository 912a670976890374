#include "agents/thinking/calls/role_model.h"

#include <algorithm>

#include <fmt/format.h>

namespace agents {

namespace {

/// Counts failed attempts. Used only on the service's thread.
std::function<void(const models::Failure&, double)> counting(const std::shared_ptr<Attempts>& attempts) {
  return [attempts](const models::Failure& failure, double) {
    ++attempts->all;
    attempts->begun += maybe_charged(failure) ? 1 : 0;
  };
}

std::function<void(std::string)> learning(const std::shared_ptr<Attempts>& attempts) {
  return [attempts](std::string what) { attempts->learnt.push_back(std::move(what)); };
}

}  // namespace

std::uint64_t ServiceModel::ask(const models::Request& request, std::function<void(std::string_view)> on_text,
                                std::function<void(models::ModelOutcome, Attempts)> on_end) {
  const auto attempts = std::make_shared<Attempts>();
  models::Asking asking;
  asking.on_text = std::move(on_text);
  asking.on_retry = counting(attempts);
  asking.on_learnt = learning(attempts);
  asking.on_end = [attempts, on_end = std::move(on_end)](models::ModelOutcome outcome) {
    on_end(std::move(outcome), *attempts);
  };
  return service_->ask(model_, request, std::move(asking));
}

std::uint64_t ServiceModel::ask_in_batch(const models::Request& request, double patience_s,
                                         std::optional<models::BatchTicket> ticket,
                                         std::function<void(models::BatchTicket)> on_submitted,
                                         std::function<void(models::BatchOutcome, Attempts)> on_end) {
  const auto attempts = std::make_shared<Attempts>();
  models::BatchAsking asking;
  asking.patience_s = patience_s;
  asking.ticket = std::move(ticket);
  asking.on_submitted = std::move(on_submitted);
  asking.on_retry = counting(attempts);
  asking.on_learnt = learning(attempts);
  asking.on_end = [attempts, on_end = std::move(on_end)](models::BatchOutcome outcome) {
    on_end(std::move(outcome), *attempts);
  };
  return service_->ask_in_batch(model_, request, std::move(asking));
}

models::Habits ServiceModel::habits() const {
  return model_.habits ? model_.habits->of(models::habit_key(model_.endpoint, wire_name_)) : models::Habits{};
}

bool maybe_charged(const models::Failure& failure) {
  using Kind = models::Failure::Kind;
  return failure.began || failure.kind == Kind::timed_out || failure.kind == Kind::cut_off ||
         failure.kind == Kind::too_large;
}

namespace {

std::string around(const std::string& text, std::size_t at) {
  constexpr std::size_t before = 20, shown = 80;
  const std::size_t from = at > before ? at - before : 0;
  return models::one_line_of(text.substr(from, shown));
}

std::string difference(const std::string& where, const std::string& recorded, const std::string& now) {
  if (recorded == now) return "";
  const auto [a, b] = std::mismatch(recorded.begin(), recorded.end(), now.begin(), now.end());
  const auto at = static_cast<std::size_t>(a - recorded.begin());
  return fmt::format("{}, byte {}: «{}» was recorded, and now it is «{}»", where, at + 1, around(recorded, at),
                     around(now, at));
}

/// The text without the section that says what is left of the budget: a replay has another clock and other costs.
std::string without_budget(const std::string& text) {
  static constexpr std::string_view heading = "\n## Budget\n";
  const std::size_t from = text.find(heading);
  if (from == text.npos) return text;
  const std::size_t to = text.find("\n## ", from + heading.size());
  return text.substr(0, from) + (to == text.npos ? "" : text.substr(to));
}

std::string in_message(const std::string& where, const models::Message& recorded, const models::Message& now) {
  if (std::string text = difference(where, without_budget(recorded.text), without_budget(now.text)); !text.empty())
    return text;
  if (recorded.answers.size() != now.answers.size())
    return fmt::format("{}: {} answers of tools were recorded, and now there are {}", where, recorded.answers.size(),
                       now.answers.size());
  for (std::size_t i = 0; i < recorded.answers.size(); ++i)
    if (std::string text =
            difference(fmt::format("{}, answer {}", where, i + 1), recorded.answers[i].text, now.answers[i].text);
        !text.empty())
      return text;
  return "";
}

/// In words; empty if there is none.
std::string first_difference(const models::Request& recorded, const models::Request& now) {
  if (std::string text = difference("the rules", recorded.system, now.system); !text.empty()) return text;
  for (std::size_t i = 0; i < std::min(recorded.messages.size(), now.messages.size()); ++i)
    if (std::string text = in_message(fmt::format("message {}", i + 1), recorded.messages[i], now.messages[i]);
        !text.empty())
      return text;
  if (recorded.messages.size() != now.messages.size())
    return fmt::format("{} messages were recorded, and now there are {}", recorded.messages.size(),
                       now.messages.size());
  // The remaining differences are in tools, arguments or pictures.
  Remembered was{recorded, 0}, is{now, 0};
  is.request.model = was.request.model;
  is.request.max_output = was.request.max_output;
  is.request.temperature = was.request.temperature;
  is.request.effort = was.request.effort;
  for (std::size_t i = 0; i < is.request.messages.size(); ++i)
    is.request.messages[i].text = was.request.messages[i].text;
  return to_journal(was) == to_journal(is) ? "" : "the tools, or what they were called with";
}

}  // namespace

models::ModelOutcome ReplayModel::answer(const models::Request& request) const {
  models::Failure failure;
  failure.kind = models::Failure::Kind::refused;
  const auto spoken = static_cast<std::size_t>(std::ranges::count_if(
      request.messages, [](const models::Message& message) { return message.by == models::Speaker::assistant; }));
  if (spoken >= calls_.size()) {
    failure.message =
        fmt::format("{} of {} ended after {} replies, and now another one is asked for", line_, study_, calls_.size());
    return failure;
  }
  const RecordedCall& call = calls_[spoken];
  const auto recorded = request_from_journal(call.request, fetch_);
  const auto reply = reply_from_journal(call.reply);
  if (!recorded || !reply) {
    failure.message = (recorded ? reply.problem() : recorded.problem()).text();
    return failure;
  }
  failure.message = first_difference(recorded->request, request);
  if (!failure.message.empty()) {
    failure.message = fmt::format("call {} of {} differs: {}", call.number, study_, failure.message);
    return failure;
  }
  models::Reply said = *reply;
  said.usage = {1, 0, 0, 0, true};  // A replay costs nothing, but a reply without tokens would be charged as unknown.
  return said;
}

std::uint64_t ReplayModel::ask(const models::Request& request, std::function<void(std::string_view)> on_text,
                               std::function<void(models::ModelOutcome, Attempts)> on_end) {
  models::ModelOutcome outcome = answer(request);
  if (const auto* reply = std::get_if<models::Reply>(&outcome); reply && on_text) on_text(reply->text);
  on_end(std::move(outcome), {});
  return 0;
}

}  // namespace agents
