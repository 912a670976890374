#include "artifacts/transcripts/plain_json.h"

#include <nlohmann/json.hpp>

#include "artifacts/text/untrusted_text.h"
#include "models/protocols/dialect.h"

namespace artifacts {

using json = nlohmann::json;

json object_of(const std::string& text) {
  json parsed = models::own_json(text);
  return parsed.is_object() ? parsed : json::object();
}

bool is_object(const std::string& text) {
  return models::own_json(text).is_object();
}

json redacted(json document, const kernel::Redactor& redact) {
  if (document.is_string()) return redact(document.get_ref<const std::string&>());
  if (document.is_array())
    for (json& one : document) one = redacted(std::move(one), redact);
  if (document.is_object()) {
    json clean = json::object();
    for (auto& [key, value] : document.items()) clean[redact(key)] = redacted(std::move(value), redact);
    return clean;
  }
  return document;
}

std::string text_of(const json& document, int indent) {
  return document.dump(indent, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string file_name(std::string_view id) {
  std::string name;
  for (const char c : id) name += is_alnum(c) || c == '-' || c == '_' ? c : '_';
  return name.empty() ? "_" : name.substr(0, 100);
}

}  // namespace artifacts
