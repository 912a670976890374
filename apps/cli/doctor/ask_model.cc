#include "apps/cli/doctor/ask_model.h"

#include <future>

#include <fmt/format.h>

namespace cli {

models::Outcome ask_and_wait(const models::Model& model, models::Request request, int attempts) {
  std::promise<models::Outcome> answered;
  models::Asking asking;
  asking.urgency = models::Urgency::person;
  asking.on_end = [&](models::Outcome outcome) { answered.set_value(std::move(outcome)); };
  models::Service service;
  models::Model bounded = model;
  bounded.most_attempts = attempts;
  service.ask(bounded, std::move(request), std::move(asking));
  return answered.get_future().get();
}

models::Request request_to(const config::ModelEntry& entry) {
  models::Request request;
  request.model = entry.model;
  request.max_output = entry.max_output;
  request.temperature = entry.temperature;
  return request;
}

std::string price_text(const config::ModelEntry& entry, const models::Usage& usage) {
  if (!usage.known) return "does not say what it used";
  const std::string tokens =
      fmt::format("{} + {} tokens", usage.input + usage.cache_read + usage.cache_written, usage.output);
  return entry.price ? fmt::format("{} for ${:.2g}", tokens, models::cost(*entry.price, usage)) : tokens;
}

}  // namespace cli
