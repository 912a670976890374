#include "models/protocols/dialect.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"

namespace models {

using nlohmann::json;

namespace {

/// Replaces every malformed byte by U+FFFD.
std::string mended_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = kernel::utf8_at(bytes, at).length;
    text += length > 0 ? bytes.substr(at, length) : "\xef\xbf\xbd";
    at += std::max<std::size_t>(length, 1);
  }
  return text;
}

/// True if one of eight bytes is a control character, `"` or `\\` (the zero-byte test of Mycroft, 1987, three times).
/// It may be true for others, if a byte below is one of those.
bool has_special(std::uint64_t bytes) {
  constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
  const auto has_zero = [](std::uint64_t v) { return (v - ones) & ~v & tops; };
  const std::uint64_t control = (bytes - ones * 0x20) & ~bytes & tops;
  return (control | has_zero(bytes ^ ones * '"') | has_zero(bytes ^ ones * '\\')) != 0;
}

/// The first byte at or after `at` that a JSON string has to escape.
std::size_t next_special(std::string_view text, std::size_t at) {
  for (std::uint64_t bytes = 0; at + sizeof bytes <= text.size(); at += sizeof bytes) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if (has_special(bytes)) break;
  }
  const auto special = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; };
  while (at < text.size() && !special(text[at])) ++at;
  return at;
}

void add_quoted(std::string& out, std::string_view text) {
  if (!kernel::valid_utf8(text)) return add_quoted(out, mended_utf8(text));
  out += '"';
  for (std::size_t from = 0;;) {
    const std::size_t at = next_special(text, from);
    out.append(text, from, at - from);
    if (at == text.size()) break;
    from = at + 1;
    const char c = text[at];
    const auto escaped = [&](char name) { out.append({'\\', name}); };
    switch (c) {
      case '"':
      case '\\':
        escaped(c);
        break;
      case '\b':
        escaped('b');
        break;
      case '\f':
        escaped('f');
        break;
      case '\n':
        escaped('n');
        break;
      case '\r':
        escaped('r');
        break;
      case '\t':
        escaped('t');
        break;
      default:
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
    }
  }
  out += '"';
}

/// About how long its text is: the strings decide.
std::size_t rough_length(const json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().size() * 33 / 32 + 4;
  std::size_t length = 24;
  if (value.is_binary()) length += value.get_binary().size();
  if (value.is_structured())
    for (const json& part : value) length += rough_length(part);
  return length;
}

void add_json(std::string& out, const json& value) {
  if (value.is_binary()) {  // Of `verbatim`.
    out.append(value.get_binary().begin(), value.get_binary().end());
    return;
  }
  if (value.is_string()) return add_quoted(out, value.get_ref<const std::string&>());
  if (!value.is_structured()) {
    out += value.dump();
    return;
  }
  const bool object = value.is_object();
  char before = object ? '{' : '[';
  for (auto it = value.begin(); it != value.end(); ++it, before = ',') {
    out += before;
    if (object) {
      add_quoted(out, it.key());
      out += ':';
    }
    add_json(out, *it);
  }
  if (value.empty()) out += before;
  out += object ? '}' : ']';
}

}  // namespace

std::string json_text(const json& value) {
  std::string text;
  text.reserve(rough_length(value));
  add_json(text, value);
  return text;
}

bool is_deep(std::string_view text) {
  constexpr int most = 100;
  int depth = 0;
  bool in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_text && c == '\\')
      ++at;
    else if (c == '"')
      in_text = !in_text;
    else if (!in_text && (c == '{' || c == '['))
      depth += 1;
    else if (!in_text && (c == '}' || c == ']'))
      depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

json lenient_json(std::string_view text) {
  if (is_deep(text)) return json(json::value_t::discarded);
  if (kernel::valid_utf8(text)) return json::parse(text, nullptr, false);
  return json::parse(mended_utf8(text), nullptr, false);
}

OrderedJson lenient_ordered(std::string_view text) {
  if (is_deep(text)) return OrderedJson(OrderedJson::value_t::discarded);
  if (kernel::valid_utf8(text)) return OrderedJson::parse(text, nullptr, false);
  return OrderedJson::parse(mended_utf8(text), nullptr, false);
}

OrderedJson take_at(OrderedJson& object, const char* key) {
  if (!object.is_object()) return {};
  const auto it = object.find(key);
  return it == object.end() ? OrderedJson() : std::move(*it);
}

OrderedJson take_at(OrderedJson& list, std::size_t index) {
  return list.is_array() && index < list.size() ? std::move(list[index]) : OrderedJson();
}

json verbatim(std::string_view text) {
  return json::binary({text.begin(), text.end()});
}

std::string ordered_text(const OrderedJson& value) {
  return value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

json own_json(std::string_view text) {
  if (is_deep(text)) return {};
  json parsed = json::parse(text, nullptr, false);
  return parsed.is_discarded() ? json() : parsed;
}

std::string text_at(const json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

std::int64_t count_at(const json& object, const char* key) {
  if (!object.is_object()) return 0;
  const auto it = object.find(key);
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (it == object.end() || !it->is_number()) return 0;
  if (it->is_number_unsigned())
    return static_cast<std::int64_t>(std::min(it->get<std::uint64_t>(), static_cast<std::uint64_t>(most)));
  if (it->is_number_integer()) return std::max<std::int64_t>(0, std::min(it->get<std::int64_t>(), most));
  const double value = it->get<double>();
  return value > 0 ? static_cast<std::int64_t>(std::min(value, static_cast<double>(most))) : 0;
}

const json& part_at(const json& object, const char* key) {
  static const json none;
  if (!object.is_object()) return none;
  const auto it = object.find(key);
  return it != object.end() && it->is_structured() ? *it : none;
}

void merge_members(json& object, std::string_view members) {
  if (members.empty()) return;
  const OrderedJson further = lenient_ordered(members);
  if (!further.is_object()) return;
  for (const auto& [name, value] : further.items()) object[name] = verbatim(ordered_text(value));
}

namespace {

/// What FastAPI and Pydantic say: a list of what is wrong where.
std::string details_text(const json& list) {
  std::string text;
  for (const json& one : list) {
    std::string where;
    for (const json& step : part_at(one, "loc"))
      where += (where.empty() ? "" : ".") + (step.is_string() ? step.get<std::string>() : step.dump());
    text += (text.empty() ? "" : "; ") + where + ": " + text_at(one, "msg");
  }
  return text;
}

}  // namespace

std::string error_text(const json& body) {
  const json& error = part_at(body, "error");
  for (const json* from : {&error, &body}) {
    for (const char* key : {"message", "detail", "error"})
      if (const std::string text = text_at(*from, key); !text.empty()) {
        // OpenRouter quotes the provider behind it.
        const std::string raw = text_at(part_at(*from, "metadata"), "raw");
        return one_line_of(raw.empty() ? text : text + ": " + raw);
      }
    for (const json* list : {&part_at(*from, "detail"), &part_at(part_at(*from, "message"), "detail")})
      if (const std::string text = details_text(*list); !text.empty()) return one_line_of(text);
    if (const std::string type = text_at(*from, "type"); !type.empty()) return one_line_of(type);
  }
  return "";
}

Failure cut_off(bool began) {
  return {.kind = Failure::Kind::cut_off,
          .message = began ? "the stream broke before the reply's end" : "the stream was empty",
          .began = began};
}

Failure garbled(std::string why, bool began) {
  return {.kind = Failure::Kind::garbled, .message = std::move(why), .began = began};
}

}  // namespace models
