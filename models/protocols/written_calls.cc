#include "models/protocols/written_calls.h"

#include <algorithm>
#include <cctype>
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

/// The text without spaces, and without the numbers at the beginning of lines that tools show files with.
std::string bare(std::string_view text) {
  std::string kept;
  for (bool begins = true; const char c : text) {
    if (c == '\n') begins = true;
    const bool number = begins && std::isdigit(static_cast<unsigned char>(c));
    if (spaces.find(c) != spaces.npos || number) continue;
    kept += c;
    begins = false;
  }
  return kept;
}

/// The text without the number that a tool puts before each line of a file.
std::string without_line_numbers(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t digits = line.find_first_not_of(spaces);
    const std::size_t end = digits == line.npos ? line.npos : line.find_first_not_of("0123456789", digits);
    if (end != line.npos) kept += line.substr(end);
    kept += '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return kept;
}

/// The text as it was before it became a text within JSON; what were line breaks and tabs are spaces.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    if (next == 'n' || next == 'r' || next == 't')
      plain += ' ';
    else if (next == '"' || next == '\\')
      plain += next;
    else {
      plain += text[i];
      continue;
    }
    ++i;
  }
  return plain;
}

/// The JSON object at the beginning of the text, of at most so many bytes; else discarded.
json object_at(std::string_view text, std::size_t most) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t at = 0; at < std::min(text.size(), most); ++at) {
    const char c = text[at];
    if (in_text && c == '\\')
      ++at;
    else if (c == '"')
      in_text = !in_text;
    else if (!in_text && c == '{')
      ++depth;
    else if (!in_text && c == '}' && --depth == 0)
      return lenient_json(text.substr(0, at + 1));
  }
  return json(json::value_t::discarded);
}

/// What a call's arguments say, however their JSON is written.
json meaning_of(const ToolCall& call) {
  json meant = lenient_json(call.arguments);
  return meant.is_discarded() ? json(call.arguments) : meant;
}

/// Whether the text contains a call with the same JSON value. The order of members and spaces do not matter.
bool holds_call(std::string_view text, const ToolCall& call, const Request& request) {
  constexpr int most_objects = 64;
  const std::size_t longest = 8 * (call.name.size() + call.arguments.size()) + 1024;
  const std::string name = '"' + call.name + '"';
  const json meant = meaning_of(call);
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    std::size_t open = at;
    for (int i = 0; i < most_objects && open > 0; ++i) {
      open = text.rfind('{', open - 1);
      if (open == text.npos || at - open > longest) break;
      const auto shown = call_of(object_at(text.substr(open), longest), request.tools);
      if (shown && shown->name == call.name && meaning_of(*shown) == meant) return true;
    }
  }
  return false;
}

/// Whether the text holds one of the calls: as it is, with numbered lines, or as a text within JSON.
bool holds_any(const std::string& text, const std::vector<ToolCall>& calls, const Request& request) {
  const std::string unnumbered = without_line_numbers(text);
  for (const std::string& form : {text, unnumbered, unescaped(text), unescaped(unnumbered)})
    for (const ToolCall& call : calls)
      if (holds_call(form, call, request)) return true;
  return false;
}

/// Whether the model was shown the text, or one of its calls in another form: in its rules, by a person, or by a tool.
/// What it repeats it does not ask for.
bool was_shown(std::string_view text, const std::vector<ToolCall>& calls, const Request& request) {
  const std::string as_written = bare(text);
  const auto holds = [&](const std::string& shown) {
    return bare(shown).find(as_written) != std::string::npos || holds_any(shown, calls, request);
  };
  return holds(request.system) || std::ranges::any_of(request.messages, [&](const Message& message) {
           return message.by == Speaker::user &&
                  (holds(message.text) ||
                   std::ranges::any_of(message.answers, [&](const ToolAnswer& answer) { return holds(answer.text); }));
         });
}

/// The calls that the text writes, and the text before them. None if there are none, or if other text follows.
struct Written {
  std::vector<ToolCall> calls;
  std::string_view before;
};

/// `<tool_call>{…}</tool_call>`, once or several times.
std::optional<Written> tagged_calls(std::string_view text, const Request& request) {
  constexpr std::string_view open = "<tool_call>", close = "</tool_call>";
  Written written{{}, trimmed(text.substr(0, text.find(open)))};
  text.remove_prefix(text.find(open));
  while (text.starts_with(open)) {
    const std::size_t end = std::min(text.find(close), text.size());
    const std::string_view inside = text.substr(open.size(), end - open.size());
    auto found = calls_in(inside, request.tools);
    if (!found || was_shown(trimmed(inside), *found, request)) return std::nullopt;
    std::ranges::move(*found, std::back_inserter(written.calls));
    text = trimmed(text.substr(std::min(end + close.size(), text.size())));
  }
  return text.empty() ? std::optional(std::move(written)) : std::nullopt;
}

std::optional<Written> written_calls(std::string_view text, const Request& request) {
  constexpr std::string_view mistral = "[TOOL_CALLS]";
  if (text.find("<tool_call>") != text.npos) return tagged_calls(text, request);
  const std::string_view inside =
      text.starts_with(mistral) ? trimmed(text.substr(mistral.size())) : without_fence(text);
  auto found = calls_in(inside, request.tools);
  if (!found || was_shown(inside, *found, request)) return std::nullopt;
  return Written{std::move(*found), {}};
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

void take_written_calls(Reply& reply, const Request& request) {
  if (!reply.calls.empty() || request.tools.empty() || !reply.opaque.parts.empty()) return;
  std::optional<Written> written = written_calls(trimmed(reply.text), request);
  if (!written) return;
  number(written->calls);
  reply.text = std::string(written->before);
  reply.calls = std::move(written->calls);
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
