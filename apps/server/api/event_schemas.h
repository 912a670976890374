#pragma once
// JSON Schemas of the events that streams send, made from the types of events themselves: one for each type, and
// `event`, which is one of them.

#include <nlohmann/json_fwd.hpp>

namespace server {

/// Name to schema. Each describes the members that every event of its type has; more may come, and optional ones are
/// not listed.
nlohmann::json event_schemas();

}  // namespace server
