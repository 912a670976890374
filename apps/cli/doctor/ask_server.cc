#include "apps/cli/doctor/ask_server.h"

#include <algorithm>
#include <array>
#include <future>
#include <vector>

#include <fmt/format.h>

namespace cli {

namespace {

using models::Failure;
using models::KeyStyle;
using models::Protocol;

constexpr const char* name_of(Protocol api) {
  constexpr std::array names{"openai", "responses", "anthropic"};
  return names.at(static_cast<std::size_t>(api));
}

bool answers(models::Model model, const models::Request& request) {
  constexpr double patience_s = 30;
  model.endpoint.limits.first_byte = std::min(model.endpoint.limits.first_byte, patience_s);
  return std::holds_alternative<models::Reply>(ask_and_wait(model, request, 1));
}

/// The address with and without the version, the given one first. A query stays at the end.
std::vector<std::string> addresses_near(const std::string& url) {
  const std::size_t end = std::min(url.find('?'), url.size());
  const std::string path = url.substr(0, end), query = url.substr(end);
  std::vector<std::string> list{url};
  constexpr std::string_view version = "/v1";
  if (path.ends_with(version))
    list.push_back(path.substr(0, path.size() - version.size()) + query);
  else
    list.push_back(path + std::string(version) + query);
  return list;
}

/// The header with the key that the server takes.
std::optional<std::string> working_key_style(models::Model model, const models::Request& request) {
  for (const auto& [style, name] :
       {std::pair{KeyStyle::bearer, "bearer"}, {KeyStyle::x_api_key, "x-api-key"}, {KeyStyle::api_key, "api-key"}}) {
    if (style == model.endpoint.key_style) continue;
    model.endpoint.key_style = style;
    if (answers(model, request)) return fmt::format("it takes the key in another header: write `key_style: {}`", name);
  }
  return std::nullopt;
}

std::string padded(const models::Request& tiny, int bytes) {
  std::string text;
  for (int line = 1; static_cast<int>(text.size()) < bytes; ++line)
    text += fmt::format("{} In line {} there is nothing to be reported, and nothing to be done.\n",
                        tiny.messages.front().text, line);
  return text;
}

std::int64_t prompt_of(const models::TokenUsage& usage) {
  return usage.input + usage.cache_read + usage.cache_written;
}

constexpr const char* larger_context =
    "raise the context at the server: Ollama by OLLAMA_CONTEXT_LENGTH=32768, llama.cpp by -c 32768, LM Studio where "
    "the "
    "model is loaded";

}  // namespace

models::ModelOutcome ask_and_wait(const models::Model& model, models::Request request, int attempts,
                                  std::function<void(std::string)> on_learnt) {
  std::promise<models::ModelOutcome> answered;
  models::Asking asking;
  asking.urgency = models::Urgency::person;
  asking.on_learnt = std::move(on_learnt);
  asking.on_end = [&](models::ModelOutcome outcome) { answered.set_value(std::move(outcome)); };
  models::Service service;
  models::Model bounded = model;
  bounded.most_attempts = attempts;
  service.ask(bounded, std::move(request), std::move(asking));
  return answered.get_future().get();
}

std::optional<std::string> working_settings(const models::Model& model, const models::Request& request,
                                            const Failure& failure) {
  using Kind = Failure::Kind;
  if (failure.kind == Kind::unauthorised && !model.endpoint.key.empty()) return working_key_style(model, request);
  if (failure.kind == Kind::cut_off && request.stream) {
    models::Request whole = request;
    whole.stream = false;
    if (answers(model, whole)) return "it breaks streams off, but sends whole replies: write `stream: false`";
  }
  if (failure.kind != Kind::refused && failure.kind != Kind::garbled && failure.kind != Kind::no_model)
    return std::nullopt;
  for (const std::string& address : addresses_near(model.endpoint.base_url))
    for (const Protocol api : {model.endpoint.api, Protocol::openai, Protocol::responses, Protocol::anthropic}) {
      const bool same_address = address == model.endpoint.base_url, same_api = api == model.endpoint.api;
      if (same_address && same_api) continue;
      models::Model other = model;
      other.endpoint.base_url = address;
      other.endpoint.api = api;
      if (!answers(other, request)) continue;
      std::string words = "it answers with another protocol or address: write";
      if (!same_api) words += fmt::format(" `api: {}`", name_of(api));
      if (!same_address) words += fmt::format("{} `base_url: {}`", same_api ? "" : " and", models::shown_url(address));
      return words;
    }
  return std::nullopt;
}

bool is_local(const std::string& base_url) {
  const std::size_t from = base_url.find("://") == std::string::npos ? 0 : base_url.find("://") + 3;
  const std::string host = base_url.substr(from, base_url.find_first_of(":/?", from) - from);
  return host == "localhost" || host.starts_with("127.") || host.starts_with("[") || host.starts_with("10.") ||
         host.starts_with("192.168.") || host.find('.') == host.npos;
}

std::optional<Trouble> context_trouble(const models::Model& model, const models::Request& tiny, std::int64_t tokens) {
  constexpr int bytes = 36'000;  // Of English, about 9,000 tokens: what a role's first request has.
  constexpr std::int64_t needed = 16'384;
  models::Request request = tiny;
  const std::size_t before = request.system.size() + request.messages.front().text.size();
  request.messages.front().text = padded(tiny, bytes);
  request.max_output = 64;
  request.stream = false;  // Some servers break a stream off without a word if the prompt is too long.
  const models::ModelOutcome outcome = ask_and_wait(model, request, 1);
  if (const auto* failure = std::get_if<Failure>(&outcome)) {
    if (failure->kind != Failure::Kind::too_long) return std::nullopt;
    return Trouble{fmt::format("its context{} is too small for agents, which need {} tokens or more",
                               failure->context > 0 ? fmt::format(" of {} tokens", failure->context) : "", needed),
                   larger_context};
  }
  const auto& usage = std::get<models::Reply>(outcome).usage;
  if (!usage.known || tokens <= 0 || prompt_of(usage) == tokens) return std::nullopt;  // It counts nothing.
  // The template and the tools are in both; what the longer prompt adds has at least one token per six bytes.
  const std::int64_t read = prompt_of(usage);
  const std::int64_t least = tokens + (bytes - static_cast<std::int64_t>(before)) / 6;
  if (read >= least) return std::nullopt;
  return Trouble{
      fmt::format("it read {1} tokens of a prompt of at least {0}: it cuts prompts that do not fit into its context",
                  least, read),
      larger_context};
}

}  // namespace cli
