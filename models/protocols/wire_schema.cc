#include "models/protocols/wire_schema.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "models/protocols/dialect.h"

namespace models {

using nlohmann::json;

namespace {

std::string bound_of(const json& schema, const char* key) {
  const auto it = schema.find(key);
  return it != schema.end() && it->is_number() ? it->dump() : "";
}

std::string between(const std::string& least, const std::string& most, const char* unit) {
  if (!least.empty() && !most.empty()) return fmt::format(" {} to {}{}.", least, most, unit);
  if (!most.empty()) return fmt::format(" At most {}{}.", most, unit);
  return least.empty() ? "" : fmt::format(" At least {}{}.", least, unit);
}

/// The bounds that a model would otherwise learn from a refusal.
std::string bounds_in_words(const json& schema) {
  // A text that must not be empty needs no words.
  std::string words = between("", bound_of(schema, "maxLength"), " characters");
  words += between(bound_of(schema, "minimum"), bound_of(schema, "maximum"), "");
  words += between("", bound_of(schema, "maxItems"), " items");
  return words;
}

json simplified(const json& schema) {
  if (!schema.is_object()) return schema;
  json out = json::object();
  if (const auto type = schema.find("type"); type != schema.end()) {
    out["type"] = *type;
    if (type->is_array()) {
      const auto known = std::ranges::find_if(*type, [](const json& one) { return one != "null"; });
      out["type"] = known == type->end() ? json("string") : *known;
    }
  }
  for (const char* key : {"required", "enum"})
    if (const auto it = schema.find(key); it != schema.end() && !it->empty()) out[key] = *it;
  if (const auto constant = schema.find("const"); constant != schema.end() && constant->is_string())
    out["enum"] = {*constant};
  std::string description = text_at(schema, "description") + bounds_in_words(schema);
  if (description.starts_with(' ')) description.erase(0, 1);
  if (!description.empty()) out["description"] = std::move(description);
  if (const auto items = schema.find("items"); items != schema.end()) out["items"] = simplified(*items);
  if (const auto members = schema.find("properties"); members != schema.end() && members->is_object()) {
    out["properties"] = json::object();
    for (const auto& [name, member] : members->items()) out["properties"][name] = simplified(member);
  } else if (out.value("type", "") == "object") {
    out["properties"] = json::object();  // Some servers refuse an object without it.
  }
  return out;
}

}  // namespace

json wire_schema(const std::string& schema) {
  // Every request of a conversation has the same few tools.
  constexpr std::size_t most_known = 256;
  static std::mutex mutex;
  static std::unordered_map<std::string, json> known;
  const std::lock_guard lock(mutex);
  if (const auto it = known.find(schema); it != known.end()) return it->second;
  const json whole = own_json(schema);
  if (known.size() >= most_known) known.clear();
  return known[schema] = whole.is_object() ? simplified(whole) : json();
}

bool is_strict(const json& schema) {
  if (!schema.is_object()) return false;
  if (const auto items = schema.find("items"); items != schema.end() && !is_strict(*items)) return false;
  if (text_at(schema, "type") != "object") return true;
  const json& members = part_at(schema, "properties");
  const json& required = part_at(schema, "required");
  if (!members.is_object() || schema.value("additionalProperties", json()) != false) return false;
  return std::ranges::all_of(members.items(), [&](const auto& member) {
    return std::ranges::find(required, json(member.key())) != required.end() && is_strict(member.value());
  });
}

}  // namespace models
