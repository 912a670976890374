#pragma once
// JSON Schemas as they are sent to models: only keywords that all families accept. Bounds become words of the
// description; what comes back is checked by the full schema. Any thread.

#include <string>

#include <nlohmann/json.hpp>

namespace models {

/// Keeps `type` (one of a list), `properties`, `required`, `items`, `enum` and `description`. Null if the text is no
/// JSON object.
nlohmann::json wire_schema(const std::string& schema);

/// Whether the schema fits OpenAI's strict mode: each object lists all its members as required and allows no others.
bool is_strict(const nlohmann::json& schema);

}  // namespace models
