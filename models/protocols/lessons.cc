#include "models/protocols/lessons.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <regex>
#include <vector>

#include <fmt/format.h>

#include "models/protocols/dialect.h"

namespace models {

using nlohmann::json;

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/// Whether the name stands in the text as a word of its own; if `quoted`, only between quotes or as a path's step.
bool names(std::string_view text, std::string_view name, bool quoted) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const char before = at > 0 ? text[at - 1] : ' ';
    const std::size_t end = at + name.size();
    const char after = end < text.size() ? text[end] : ' ';
    if (is_word(before) || is_word(after)) continue;
    constexpr std::string_view marks = "'\"`.";
    if (!quoted || (marks.find(before) != marks.npos && before != ' ') ||
        (marks.find(after) != marks.npos && after != '.'))
      return true;
  }
  return false;
}

/// Words such as `text` or `thinking` stand in sentences, too; these names only where they are marked as a name.
bool is_plain_word(std::string_view name) {
  return name.find('_') == name.npos && name != "temperature" &&
         name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ$") == name.npos;
}

bool is_named(const ServerError& error, std::string_view name) {
  if (names(error.param, name, false)) return true;
  return names(error.text, name, is_plain_word(name));
}

constexpr std::array most_output_names{"max_tokens", "max_completion_tokens", "max_output_tokens"};

/// Members without which a request means something else.
bool is_essential(std::string_view name) {
  constexpr std::array needed{"model", "messages", "input", "instructions", "system", "tools", "texts"};
  return std::ranges::find(needed, name) != needed.end();
}

std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> found;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] < '0' || text[at] > '9' || (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '.'))) {
      ++at;
      continue;
    }
    std::string digits;
    for (; at < text.size() && ((text[at] >= '0' && text[at] <= '9') || (text[at] == ',' && at + 1 < text.size() &&
                                                                         text[at + 1] >= '0' && text[at + 1] <= '9'));
         ++at)
      if (text[at] != ',') digits += text[at];
    std::int64_t value = 0;
    if (digits.size() < 13) std::from_chars(digits.data(), digits.data() + digits.size(), value);
    found.push_back(value);
  }
  return found;
}

/// The largest number in the text that is below `than`: the limit that a larger value broke.
std::int64_t largest_below(std::string_view text, std::int64_t than) {
  std::int64_t most = 0;
  for (const std::int64_t number : numbers_in(text))
    if (number < than) most = std::max(most, number);
  return most;
}

/// The limit of a context that an error names; 0 if the error is about it and names none; none if it is another error.
std::optional<std::int64_t> context_limit(const ServerError& error) {
  static const std::array limits{std::regex("maximum context length (?:is|of) (?:only )?([0-9,]+)", std::regex::icase),
                                 std::regex("([0-9,]+) maximum context length", std::regex::icase),
                                 std::regex("context length (?:is|of) (?:only )?\\(?([0-9,]+)", std::regex::icase),
                                 std::regex("context length \\(([0-9,]+)", std::regex::icase),
                                 std::regex("available context size \\(([0-9,]+)", std::regex::icase),
                                 std::regex("tokens > ([0-9,]+) maximum", std::regex::icase),
                                 std::regex("exceed context limit: [0-9, +]+> ([0-9,]+)", std::regex::icase),
                                 std::regex("maximum number of tokens allowed \\(?([0-9,]+)", std::regex::icase),
                                 std::regex("context (?:window|size)(?: of| is|:)? \\(?([0-9,]+)", std::regex::icase),
                                 std::regex("n_ctx[^0-9]{1,4}([0-9]+)"),
                                 std::regex("maximum prompt length is ([0-9,]+)", std::regex::icase)};
  for (const std::regex& limit : limits)
    if (std::smatch match; std::regex_search(error.text, match, limit)) {
      const std::vector<std::int64_t> number = numbers_in(match[1].str());
      if (!number.empty() && number.front() >= 256) return number.front();
    }
  static const std::regex about(
      "context_length_exceeded|exceed_context_size|context (length|window|size)[^.]{0,60}(exceed|too|overflow)|"
      "(exceeds?|overflows?)[^.]{0,40}context|prompt is too long|input is too long|string too long",
      std::regex::icase);
  if (std::regex_search(error.code + " " + error.text, about)) return 0;
  return std::nullopt;
}

bool says(const ServerError& error, const char* pattern) {
  return std::regex_search(error.code + " " + error.text, std::regex(pattern, std::regex::icase));
}

Failure::Kind kind_of(const ServerError& error) {
  using Kind = Failure::Kind;
  if (error.status == 402 ||
      says(error, "insufficient_quota|credit balance is too low|billing_hard_limit|insufficient balance"))
    return Kind::unpaid;
  if (error.status == 401 || error.status == 403) return Kind::unauthorised;
  if (says(error, "tool_use_failed")) return Kind::garbled;
  if (error.status == 408 || error.status == 409 || error.status == 425 || error.status == 429) return Kind::busy;
  if (error.status == 413 || context_limit(error)) return Kind::too_long;
  // Pydantic's words for a wrong request, which some servers send with the status of a fault of their own.
  if (says(error, "^[a-z_ ]*[0-9]+ validation errors?\\b")) return Kind::refused;
  if (error.status >= 500) return Kind::server;
  if ((error.status == 404 || error.status == 400 || error.status == 410) &&
      says(error,
           "model_not_found|model_deprecated|decommissioned|has been (deprecated|retired|shut down)|"
           "no longer (available|supported)|model[^.]{0,80}(does not exist|not found)|not_found_error"))
    return Kind::no_model;
  if (says(error, "content_filter|content_policy|responsibleaipolicyviolation|invalid_prompt|usage polic"))
    return Kind::withheld;
  return Kind::refused;
}

/// The last member in the path that FastAPI and Pydantic give.
std::string last_step(const json& loc) {
  std::string last;
  for (const json& step : loc)
    if (step.is_string() && step != "body") last = step.get<std::string>();
  return last;
}

/// All names in a schema's keywords and the members of turns that a body has.
void collect_names(const json& value, std::set<std::string>& into) {
  if (value.is_array()) {
    for (const json& one : value) collect_names(one, into);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      into.insert(name);
      collect_names(member, into);
    }
  }
}

std::string learn_limit(Habits& habits, const ServerError& error, const json& body, const char* name) {
  const auto given = body.find(name);
  if (given == body.end() || !given->is_number_integer()) return "";
  const std::int64_t sent = given->get<std::int64_t>();
  const std::int64_t limit = largest_below(error.text, sent);
  if (limit < 16 || limit == habits.most_output) return "";
  habits.most_output = limit;
  return fmt::format("it allows replies of at most {} tokens", limit);
}

std::string learn_name(Habits& habits, const ServerError& error, const json& body) {
  for (const char* name : most_output_names) {
    if (!body.contains(name) || !is_named(error, name)) continue;
    for (const char* other : most_output_names)
      if (std::string_view(other) != name && names(error.text, other, false) && !body.contains(other)) {
        if (!habits.renamed.emplace(name, other).second) continue;
        return fmt::format("it takes `{}` instead of `{}`", other, name);
      }
    if (std::string limit = learn_limit(habits, error, body, name); !limit.empty()) return limit;
  }
  return "";
}

/// The values of effort that an error lists, where it names the one that was sent.
std::string learn_efforts(Habits& habits, const ServerError& error) {
  static constexpr std::array all{"none", "minimal", "low", "medium", "high", "xhigh", "max"};
  if (!is_named(error, "reasoning_effort") && !is_named(error, "effort") &&
      !names(error.param, "reasoning.effort", false))
    return "";
  std::set<std::string> listed;
  const std::size_t from = error.text.find("upported values");
  if (from == error.text.npos) return "";
  for (const char* value : all)
    if (names(std::string_view(error.text).substr(from), value, true)) listed.insert(value);
  if (listed.empty() || listed == habits.efforts) return "";
  habits.efforts = listed;
  return fmt::format("it takes an effort of {}", fmt::join(listed, ", "));
}

/// Anthropic's older models think within a budget only, and some know no effort.
std::string learn_thinking(Habits& habits, const ServerError& error, const json& body) {
  if (text_at(part_at(body, "thinking"), "type") == "adaptive" && error.text.find("adaptive") != error.text.npos &&
      habits.without.insert("adaptive").second)
    return "it thinks within a budget of tokens";
  const bool has_effort = part_at(body, "output_config").contains("effort") ||
                          part_at(body, "reasoning").contains("effort") || body.contains("reasoning_effort");
  if (has_effort && says(error, "\\beffort\\b") && habits.without.insert("effort").second)
    return "it takes no effort, which is left out";
  return "";
}

/// Some servers know an answer's shape only as a JSON object.
std::string learn_shape(Habits& habits, const ServerError& error, const json& body) {
  if (text_at(part_at(body, "response_format"), "type") != "json_schema" || !names(error.text, "json_object", true) ||
      !habits.without.insert("json_schema").second)
    return "";
  return "it takes the shape of an answer as `json_object` instead of `json_schema`";
}

std::string without(Habits& habits, const std::string& name) {
  if (!habits.without.insert(name).second) return "";
  return fmt::format("it refuses `{}`, which is left out", name);
}

}  // namespace

ServerError server_error(int status, std::string_view body) {
  ServerError error{status, "", "", ""};
  json whole = lenient_json(body);
  if (whole.is_array() && !whole.empty()) whole = json(whole.front());  // Gemini.
  const json& inner = part_at(whole, "error");
  const json& from = inner.is_object() ? inner : whole;
  error.text = error_text(whole);
  if (error.text.empty()) error.text = one_line_of(body);
  for (const char* key : {"code", "type", "status"})
    if (error.code.empty()) error.code = text_at(from, key);
  if (error.code.empty()) error.code = text_at(from, "type");
  error.param = text_at(from, "param");
  const json& detail =
      part_at(from, "detail").is_array() ? part_at(from, "detail") : part_at(part_at(from, "message"), "detail");
  if (detail.is_array() && !detail.empty() && error.param.empty())
    error.param = last_step(part_at(detail.front(), "loc"));
  if (error.status / 100 == 2 || error.status == 0) {  // An error within a stream, or with the status of a success.
    const std::int64_t code = count_at(from, "code");
    error.status = code >= 400 && code < 600 ? static_cast<int>(code) : 0;
  }
  return error;
}

Failure failure_of(const ServerError& error) {
  Failure failure;
  failure.kind = kind_of(error);
  failure.status = error.status;
  failure.message = error.status > 0 ? fmt::format("HTTP {}", error.status) : "";
  if (!error.text.empty()) failure.message += (failure.message.empty() ? "" : ": ") + error.text;
  if (failure.kind == Failure::Kind::too_long) failure.context = context_limit(error).value_or(0);
  return failure;
}

std::string learn(Habits& habits, const ServerError& error, const json& body) {
  if (std::string what = learn_name(habits, error, body); !what.empty()) return what;
  if (std::string what = learn_efforts(habits, error); !what.empty()) return what;
  if (std::string what = learn_thinking(habits, error, body); !what.empty()) return what;
  if (std::string what = learn_shape(habits, error, body); !what.empty()) return what;
  for (const auto& [name, value] : body.items())
    if (!is_essential(name) && is_named(error, name))
      if (std::string what = without(habits, name); !what.empty()) return what;
  // Members of turns and keywords of schemas.
  std::set<std::string> deeper;
  for (const auto& [name, value] : body.items())
    if (is_essential(name)) collect_names(value, deeper);
  static const std::set<std::string> kept{"role",       "content",      "type",         "name",     "function",
                                          "parameters", "properties",   "text",         "id",       "arguments",
                                          "tool_calls", "tool_call_id", "input",        "required", "description",
                                          "call_id",    "output",       "input_schema", "items",    "data"};
  for (const std::string& name : deeper)
    if (!kept.contains(name) && is_named(error, name))
      if (std::string what = without(habits, name); !what.empty()) return what;
  return "";
}

}  // namespace models
