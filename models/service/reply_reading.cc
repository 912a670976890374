#include "models/service/reply_reading.h"

#include <vector>

#include "models/protocols/lessons.h"

namespace models {

using nlohmann::json;

namespace {

void redact_texts(const kernel::Redactor& redact, ModelOutcome& outcome) {
  if (auto* failure = std::get_if<Failure>(&outcome)) {
    failure->message = redact(failure->message);
    return;
  }
  auto& reply = std::get<Reply>(outcome);
  for (std::string* text :
       {&reply.text, &reply.id, &reply.model, &reply.tier, &reply.fingerprint, &reply.thoughts, &reply.refusal})
    *text = redact(*text);
  // What is opaque goes back as it came, or its provider refuses it.
  for (Part& part : reply.opaque.parts)
    if (part.kind == Part::Kind::text) part.text = redact(part.text);
  for (ToolCall& call : reply.calls)
    for (std::string* text : {&call.id, &call.name, &call.arguments}) *text = redact(*text);
}

}  // namespace

kernel::Redactor with_key(const kernel::Redactor& configured, const std::string& model, const std::string& key) {
  std::vector<kernel::Secret> secrets = configured.secrets();
  secrets.push_back({model + " key", key});  // In case the configuration did not contain it.
  return kernel::Redactor(std::move(secrets));
}

void finish_reading(ModelOutcome& outcome, const Endpoint& endpoint, const Request& request, HabitBook& book,
                    const kernel::Redactor& redact) {
  redact_texts(redact, outcome);
  auto* reply = std::get_if<Reply>(&outcome);
  if (!reply) return;
  if (reply->usage.total() < fewest_tokens(request, *reply)) reply->usage.known = false;
  if (!reply->opaque.empty() || !reply->thoughts.empty() || reply->usage.thought > 0)
    book.change(habit_key(endpoint, request.model), [](Habits& habits) { habits.thinks = true; });
}

bool learn_from(const Failure& failure, const Endpoint& endpoint, const Request& request, HabitBook& book,
                const kernel::Redactor& redact, const std::function<void(std::string)>& on_learnt) {
  const std::string key = habit_key(endpoint, request.model);
  std::string what;
  if (failure.kind == Failure::Kind::too_long && failure.context > 0)
    book.change(key, [&](Habits& habits) { habits.context = failure.context; });
  if (failure.kind != Failure::Kind::refused || failure.detail.empty()) return false;
  const json body = body_of(endpoint, request, book.of(key));
  book.change(key, [&](Habits& habits) { what = learn(habits, server_error(failure.status, failure.detail), body); });
  if (!what.empty() && on_learnt) on_learnt(redact(what + " (its words: " + failure.message + ")"));
  return !what.empty();
}

}  // namespace models
