#include "models/protocols/written_calls.h"

#include <algorithm>
#include <optional>

#include "models/protocols/dialect.h"

namespace models {

using nlohmann::json;

namespace {

constexpr std::string_view spaces = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(spaces);
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(spaces) + 1 - from);
}

std::optional<ToolCall> call_of(const json& written, const std::vector<Tool>& tools) {
  if (!written.is_object()) return std::nullopt;
  const std::string name = text_at(written, "name");
  if (std::ranges::none_of(tools, [&](const Tool& tool) { return tool.name == name; })) return std::nullopt;
  for (const char* key : {"arguments", "parameters"})
    if (const auto it = written.find(key); it != written.end())
      return ToolCall{"", name, it->is_string() ? it->get<std::string>() : it->dump()};
  return std::nullopt;
}

/// The calls in one JSON value: an object, or a list of them. None if any of it is something else.
std::optional<std::vector<ToolCall>> calls_in(std::string_view text, const std::vector<Tool>& tools) {
  const json written = lenient_json(trimmed(text));
  std::vector<ToolCall> calls;
  const json list = written.is_array() ? written : json::array({written});
  for (const json& one : list) {
    std::optional<ToolCall> call = call_of(one, tools);
    if (!call) return std::nullopt;
    calls.push_back(std::move(*call));
  }
  return calls.empty() ? std::nullopt : std::optional(std::move(calls));
}

/// The text between ```json and ```, if that is all of it.
std::string_view without_fence(std::string_view text) {
  constexpr std::string_view fence = "```";
  if (!text.starts_with(fence) || !text.ends_with(fence) || text.size() < 2 * fence.size()) return text;
  const std::size_t line = text.find('\n');
  if (line == text.npos) return text;
  return trimmed(text.substr(line, text.size() - fence.size() - line));
}

void number(std::vector<ToolCall>& calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i].id = "written_" + std::to_string(i + 1);
}

}  // namespace

void take_thinking(Reply& reply) {
  constexpr std::string_view open = "<think>", close = "</think>";
  const std::string_view text = reply.text;
  const std::size_t from = text.find_first_not_of(spaces);
  if (from == text.npos || !reply.opaque.parts.empty()) return;
  const std::size_t end = text.find(close);
  // Some chat templates put the opening tag into the prompt.
  const bool opened = text.substr(from).starts_with(open);
  if (!opened && end == text.npos) return;
  const std::size_t begin = opened ? from + open.size() : from;
  reply.thoughts += trimmed(text.substr(begin, end == text.npos ? text.npos : end - begin));
  const std::string rest(end == text.npos ? std::string_view() : trimmed(text.substr(end + close.size())));
  reply.text = rest;
}

void take_written_calls(Reply& reply, const std::vector<Tool>& tools) {
  if (!reply.calls.empty() || tools.empty() || !reply.opaque.parts.empty()) return;
  constexpr std::string_view open = "<tool_call>", close = "</tool_call>", mistral = "[TOOL_CALLS]";
  const std::string_view text = trimmed(reply.text);
  std::vector<ToolCall> calls;
  std::string rest;
  if (text.find(open) != text.npos) {
    std::size_t at = 0;
    for (std::size_t from = text.find(open); from != text.npos; from = text.find(open, at)) {
      rest += text.substr(at, from - at);
      const std::size_t end = text.find(close, from);
      const std::size_t begin = from + open.size();
      auto found = calls_in(text.substr(begin, end == text.npos ? text.npos : end - begin), tools);
      if (!found) return;
      std::ranges::move(*found, std::back_inserter(calls));
      at = end == text.npos ? text.size() : end + close.size();
    }
    rest += text.substr(at);
  } else {
    const bool marked = text.starts_with(mistral);
    auto found = calls_in(marked ? text.substr(mistral.size()) : without_fence(text), tools);
    if (!found) return;
    calls = std::move(*found);
  }
  number(calls);
  reply.text = std::string(trimmed(rest));
  reply.calls = std::move(calls);
  if (reply.stop == Stop::end) reply.stop = Stop::tools;
}

bool looks_like_a_call(std::string_view text, const std::vector<Tool>& tools) {
  for (const std::string_view mark : {"<tool_call>", "<function=", "<|tool_call", "[TOOL_CALLS]", "<function_call>"})
    if (text.find(mark) != text.npos) return true;
  return std::ranges::any_of(tools, [&](const Tool& tool) {
    return text.find("\"" + tool.name + "\"") != text.npos || text.find(tool.name + "(") != text.npos;
  });
}

}  // namespace models
