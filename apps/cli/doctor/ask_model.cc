#include "apps/cli/doctor/ask_model.h"

#include <algorithm>
#include <future>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {

std::string price_text(const config::ModelEntry& entry, const models::TokenUsage& usage) {
  if (!usage.known) return "number of tokens not known";
  const std::string cached = usage.cache_read > 0 ? fmt::format(" ({} from the cache)", usage.cache_read) : "";
  const std::string tokens =
      fmt::format("{}{} + {} tokens", usage.input + usage.cache_read + usage.cache_written, cached, usage.output);
  return entry.price ? fmt::format("{} for ${:.2g}", tokens, models::cost(*entry.price, usage)) : tokens;
}

namespace {

/// A short question whose only good answer is a tool call.
models::Request tiny_request(const config::ModelEntry& entry) {
  models::Request request = config::request_to(entry, false);
  request.system = "You check that tools work. Call the tool `report` with the word ready, and say nothing else.";
  request.messages.resize(1);
  request.messages[0].text = "Are you ready?";
  request.tools = {{"report", "Reports one word.",
                    R"({"type":"object","properties":{"word":{"type":"string"}},"required":["word"]})"}};
  request.max_output = 2048;  // Enough for a model that thinks first.
  return request;
}

bool called_well(const models::Reply& reply) {
  return std::ranges::any_of(reply.calls, [](const models::ToolCall& call) {
    const auto arguments = nlohmann::json::parse(call.arguments, nullptr, false);
    return call.name == "report" && arguments.is_object() && arguments.contains("word") &&
           arguments["word"].is_string();
  });
}

std::string remedy_for(const models::Failure& failure, const config::Provider& provider) {
  using Kind = models::Failure::Kind;
  if (failure.kind == Kind::unauthorised)
    return provider.key_env.empty() ? "name the variable with the key: `key_env`"
                                    : "check the key in $" + provider.key_env;
  if (failure.kind == Kind::unreachable) return "start the server, or correct `base_url`";
  if (failure.kind == Kind::refused) return "check `api`, `base_url` and `model` in the configuration";
  if (failure.kind == Kind::garbled) return "check `api`: does the server use this protocol?";
  return "try again later";
}

MachineCheck unanswered(const config::Config& config, const std::string& name, const models::Failure& failure) {
  const config::Provider& provider = config.providers.at(config.models.at(name).provider);
  return {"model", Health::missing,
          fmt::format("{}: {}: {}: {}", name, models::shown_url(provider.base_url), models::name(failure.kind),
                      failure.message),
          remedy_for(failure, provider)};
}

MachineCheck ask(const config::Config& config, const std::string& name, const models::Model& model) {
  const config::ModelEntry& entry = config.models.at(name);
  const models::Request request = tiny_request(entry);
  const double before = models::Http::now();
  std::string learnt;
  const models::ModelOutcome outcome =
      ask_and_wait(model, request, 1, [&](const std::string& what) { learnt += "; " + what; });
  const double took = models::Http::now() - before;
  if (const auto* failure = std::get_if<models::Failure>(&outcome)) {
    MachineCheck check = unanswered(config, name, *failure);
    if (auto settings = working_settings(model, request, *failure)) check.remedy = std::move(*settings);
    return check;
  }
  const auto& reply = std::get<models::Reply>(outcome);
  const bool tools = called_well(reply);
  const std::int64_t tokens =
      reply.usage.known ? reply.usage.input + reply.usage.cache_read + reply.usage.cache_written : 0;
  std::optional<Trouble> trouble;
  if (tools && is_local(model.endpoint.base_url)) trouble = context_trouble(model, request, tokens);
  if (trouble) return {"model", Health::missing, name + ": " + trouble->what, trouble->remedy};
  std::string remedy;
  if (!tools)
    remedy = "the roles need tools: choose a model that calls them, or start the server with its tool parser";
  else if (!entry.price)
    remedy = "state its `prices`: a study with a money budget cannot use it";
  return {"model", remedy.empty() ? Health::ok : Health::warn,
          fmt::format("{}: answered in {:.2f} s, {}, {}{}", name, took, tools ? "calls tools" : "calls no tools",
                      price_text(entry, reply.usage), learnt),
          remedy};
}

/// Embeds one word.
MachineCheck embed(const config::Config& config, const std::string& name, const models::Model& model) {
  const config::ModelEntry& entry = config.models.at(name);
  std::promise<std::variant<models::Embedded, models::Failure>> answered;
  const double before = models::Http::now();
  models::Service service;
  models::Model once = model;
  once.most_attempts = 1;
  service.embed(
      once, entry.model, {"ready"}, [&](auto outcome) { answered.set_value(std::move(outcome)); },
      models::Urgency::person);
  const auto outcome = answered.get_future().get();
  if (const auto* failure = std::get_if<models::Failure>(&outcome)) return unanswered(config, name, *failure);
  const auto& embedded = std::get<models::Embedded>(outcome);
  return {"model", Health::ok,
          fmt::format("{}: embedded in {:.2f} s, {} numbers, {}", name, models::Http::now() - before,
                      embedded.vectors.front().size(), price_text(entry, embedded.usage)),
          ""};
}

}  // namespace

std::vector<MachineCheck> model_checks(const config::Config& config, const std::vector<std::string>& to_ask,
                                       const std::map<std::string, std::string>& environment) {
  std::vector<MachineCheck> checks;
  for (const auto& [name, entry] : config.models) {
    const kernel::Result<models::Model> model = config::ready(config, name, environment);
    if (!model)
      checks.push_back({"model", Health::warn, fmt::format("{}: {}", name, model.problem().why), model.problem().todo});
    else if (std::ranges::find(to_ask, name) != to_ask.end())
      checks.push_back(entry.embeds ? embed(config, name, *model) : ask(config, name, *model));
    else
      checks.push_back({"model", Health::ok,
                        fmt::format("{}: {} at {}{}; `--model {}` asks it", name, entry.model,
                                    models::shown_url(model->endpoint.base_url),
                                    entry.price ? "" : ", its prices are not stated", name),
                        ""});
  }
  return checks;
}

}  // namespace cli
