#pragma once
// JSON Schema, by valijson. Pure; any thread.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace agents {

/// Why the document does not match the schema, in one sentence; empty if it matches. Throws std::logic_error for an
/// invalid schema.
std::string against_schema(const nlohmann::json& schema, const nlohmann::json& document);

}  // namespace agents
