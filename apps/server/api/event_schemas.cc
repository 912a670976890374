#include "apps/server/api/event_schemas.h"

#include <nlohmann/json.hpp>

#include "apps/session/watch/public_view.h"
#include "kernel/domain/event.h"

namespace server {

namespace {

using nlohmann::json;

/// What an empty event shows of a member's type. A null says nothing, since the member may have a value, and so does
/// the content of an empty list or map.
json schema_of_example(const json& example) {
  if (example.is_boolean()) return {{"type", "boolean"}};
  if (example.is_number()) return {{"type", "number"}};
  if (example.is_string()) return {{"type", "string"}};
  if (example.is_array()) return {{"type", "array"}};
  if (!example.is_object()) return json::object();
  json schema = {{"type", "object"}};
  for (const auto& [name, value] : example.items()) {
    schema["properties"][name] = schema_of_example(value);
    schema["required"].push_back(name);
  }
  return schema;
}

json schema_of(kernel::EventBody empty) {
  const json example = session::event_shape(kernel::Event{"s1", kernel::kernel_actor, {}, std::move(empty)}, false);
  json schema = schema_of_example(example);
  schema["required"].push_back("seq");
  schema["properties"]["seq"] = {{"type", "integer"}};
  schema["properties"]["time"] = {{"type", "string"}, {"format", "date-time"}};
  schema["properties"]["type"] = {{"const", example.at("type")}};
  return schema;
}

}  // namespace

json event_schemas() {
  json schemas = {{"event",
                   {{"description", "the `data` of an event; its `id` is `seq`, its `event` is `type`"},
                    {"discriminator", {{"propertyName", "type"}}}}}};
  const auto add = [&](const char* type, kernel::EventBody empty) {
    const std::string name = std::string("event_") + type, ref = "#/components/schemas/" + name;
    schemas[name] = schema_of(std::move(empty));
    schemas["event"]["oneOf"].push_back({{"$ref", ref}});
    schemas["event"]["discriminator"]["mapping"][type] = ref;
  };
#define ETUDE_EVENT(Type, ...) add(#Type, kernel::Type{});
#include "kernel/domain/events.def"
  return schemas;
}

}  // namespace server
