#pragma once
// JSON Schema, by valijson. Pure; any thread.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace agents {

/// What is wrong with the document by the schema, in one sentence; empty: nothing. Throws std::logic_error for a schema
/// that is none.
std::string against_schema(const nlohmann::json& schema, const nlohmann::json& document);

}  // namespace agents
