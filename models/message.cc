#include "models/message.h"

#include <algorithm>
#include <array>

namespace models {

namespace {

constexpr std::array<std::string_view, 7> effort_names{"", "none", "minimal", "low", "medium", "high", "max"};

}  // namespace

namespace {

double by_prices(const Price& price, const TokenUsage& usage) {
  const auto of = [](double per_million, std::int64_t tokens) {
    return per_million * static_cast<double>(tokens) / 1e6;
  };
  const Rates* rates = &price;
  for (const auto& [tokens, own] : price.above)
    if (usage.total() - usage.output >= tokens) rates = &own;
  const double written = rates->cache_written.value_or(rates->input);
  return of(rates->input, usage.input) + of(rates->output, usage.output) +
         of(rates->cache_read.value_or(rates->input), usage.cache_read) +
         of(written, usage.cache_written - usage.cache_written_long) +
         of(rates->cache_written_long.value_or(written), usage.cache_written_long);
}

}  // namespace

double cost(const Price& price, const TokenUsage& usage, bool by_batch) {
  constexpr double least_share = 0.1;
  const double listed = by_prices(price, usage) * (by_batch ? price.batch : 1);
  return usage.usd && *usage.usd >= least_share * listed ? *usage.usd : listed;
}

std::string_view name(Effort effort) {
  return effort_names.at(static_cast<std::size_t>(effort));
}

Effort effort_of(std::string_view text) {
  const auto found = std::ranges::find(effort_names, text);
  return found == effort_names.end() ? Effort::unset : static_cast<Effort>(found - effort_names.begin());
}

namespace {

/// Bytes of the conversation, and of the texts to embed.
std::size_t bytes_of(const Request& request) {
  std::size_t bytes = request.system.size();
  for (const Message& message : request.messages) {
    bytes += message.text.size();
    for (const ToolCall& call : message.calls) bytes += call.name.size() + call.arguments.size();
    for (const ToolAnswer& answer : message.answers) bytes += answer.text.size();
  }
  for (const std::string& text : request.texts) bytes += text.size();
  return bytes;
}

}  // namespace

TokenUsage set_aside(const Request& request) {
  std::size_t bytes = bytes_of(request), images = 0, parts = 4;
  for (const Message& message : request.messages) {
    images += message.images.size();
    parts += 1 + message.calls.size() + message.answers.size();
    for (const ToolAnswer& answer : message.answers) images += answer.images.size();
  }
  for (const Tool& tool : request.tools) bytes += tool.name.size() + tool.description.size() + tool.parameters.size();
  if (request.shape) bytes += request.shape->schema.size();
  // Text has about three bytes per token; two is a safe estimate.
  constexpr std::size_t bytes_per_token = 2, tokens_per_part = 16;
  TokenUsage usage;
  usage.input = static_cast<std::int64_t>(bytes / bytes_per_token + parts * tokens_per_part) +
                image_tokens * static_cast<std::int64_t>(images);
  usage.output = request.texts.empty() ? request.max_output : 0;
  return usage;
}

std::int64_t fewest_tokens(const Request& request, const Reply& reply) {
  constexpr std::size_t bytes_per_token = 16;
  std::size_t bytes = bytes_of(request) + reply.text.size();
  for (const ToolCall& call : reply.calls) bytes += call.name.size() + call.arguments.size();
  return static_cast<std::int64_t>(bytes / bytes_per_token);
}

}  // namespace models
