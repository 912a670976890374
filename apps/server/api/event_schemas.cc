#include "apps/server/api/event_schemas.h"

#include <nlohmann/json.hpp>

#include "kernel/codec/json_schema.h"
#include "kernel/domain/event.h"

namespace server {

namespace {

using nlohmann::json;

json reference(const std::string& schema) {
  return {{"$ref", "#/components/schemas/" + schema}};
}

/// As `session::event_shape` returns it.
json schema_of(const char* type) {
  return {{"type", "object"},
          {"required", {"actor", "payload", "seq", "study", "time", "type"}},
          {"properties",
           {{"seq", {{"type", "integer"}}},
            {"study", {{"type", "string"}}},
            {"time", {{"type", "string"}, {"format", "date-time"}}},
            {"actor", {{"type", "string"}, {"description", "`person`, `kernel` or the role of an agent"}}},
            {"type", {{"const", type}}},
            {"payload", reference(kernel::schema_name(type))}}}};
}

/// What the stream replaces in the end of a run whose values are withheld.
void describe_withheld(json& schemas) {
  schemas.at(kernel::schema_name("RunEnded"))["properties"]["withheld"] = {
      {"type", "boolean"}, {"description", "true: its values are null until its experiment is analysed; else absent"}};
  json& value = schemas.at(kernel::schema_name("Measurement"))["properties"]["values"]["additionalProperties"];
  value = {{"anyOf", {value, {{"type", "null"}}}}};
}

}  // namespace

json event_schemas() {
  json schemas = kernel::record_schemas();
  describe_withheld(schemas);
  schemas["event"] = {
      {"description",
       "the `data` of an event; its `id` is `seq`, its `event` is `type`. An event that an older program "
       "recorded may lack members that `required` lists"},
      {"discriminator", {{"propertyName", "type"}}}};
  const auto add = [&](const char* type) {
    const std::string name = std::string("event_") + type;
    schemas[name] = schema_of(type);
    schemas["event"]["oneOf"].push_back(reference(name));
    schemas["event"]["discriminator"]["mapping"][type] = reference(name).at("$ref");
  };
#define ETUDE_EVENT(Type, ...) add(#Type);
#include "kernel/domain/events.def"
  return schemas;
}

}  // namespace server
