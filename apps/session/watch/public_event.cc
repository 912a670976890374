#include "apps/session/watch/public_event.h"

#include <nlohmann/json.hpp>

#include "apps/session/watch/withheld.h"
#include "kernel/codec/codec.h"
#include "kernel/codec/json_types.h"

namespace session {

using nlohmann::json;

namespace {

json shape(const std::string& study, std::int64_t wall_ms, const std::string& actor, std::string_view type,
           json payload) {
  kernel::put_in_words(payload);
  return {{"study", study},
          {"time", kernel::iso8601(wall_ms)},
          {"actor", actor},
          {"type", type},
          {"payload", std::move(payload)}};
}

void withhold(json& payload) {
  for (json& value : payload["measurement"]["values"]) value = nullptr;
  if (payload["state"] == "invalid") payload["reason"] = withheld_reason;
  payload["withheld"] = true;
}

}  // namespace

json event_shape(const kernel::Event& event, bool registered) {
  json payload = json::parse(kernel::encode(event.body));
  if (std::holds_alternative<kernel::RunEnded>(event.body) && registered) withhold(payload);
  return shape(event.study, event.at.wall_ms, event.actor, kernel::type_name(event.body), std::move(payload));
}

json event_shape(const kernel::StoredEvent& event, std::set<int>& scratch) {
  json payload = json::parse(event.payload);
  if (event.type == "RunsQueued" && payload.value("experiment", "").empty())
    for (const json& run : payload.at("runs")) scratch.insert(run.at("number").get<int>());
  if (event.type == "RunEnded" && !scratch.contains(payload.at("run").get<int>())) withhold(payload);
  json shown = shape(event.study, event.time, event.actor, event.type, std::move(payload));
  shown["seq"] = event.seq;
  return shown;
}

}  // namespace session
