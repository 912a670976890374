#include "kernel/codec/json_schema.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "kernel/codec/codec.h"
#include "kernel/codec/json_types.h"

using nlohmann::json;

namespace {

/// The places where a document differs from its schema, as far as the schemas of records go.
class Differences {
 public:
  explicit Differences(const json& schemas) : schemas_(schemas) {}

  std::vector<std::string> of(const json& value, const json& schema) {
    found_.clear();
    compare(value, schema, "");
    return found_;
  }

 private:
  void compare(const json& value, const json& schema, const std::string& place) {
    if (schema.contains("$ref")) return compare(value, schemas_.at(name_in(schema)), place);
    for (const char* choice : {"anyOf", "oneOf"})
      if (schema.contains(choice)) return compare_any(value, schema.at(choice), place);
    if (schema.contains("const")) return note(value == schema.at("const"), place);
    if (schema.contains("enum") && std::ranges::find(schema.at("enum"), value) == schema.at("enum").end())
      return note(false, place);
    const std::string type = schema.at("type");
    note((type == "integer" && value.is_number_integer()) || (type == "number" && value.is_number()) ||
             type == value.type_name(),
         place);
    if (value.is_array())
      for (const json& element : value) compare(element, schema.at("items"), place + "/#");
    if (value.is_object()) compare_members(value, schema, place);
  }

  void compare_any(const json& value, const json& choices, const std::string& place) {
    const bool fits = std::ranges::any_of(
        choices, [&](const json& choice) { return Differences(schemas_).of(value, choice).empty(); });
    note(fits, place);
  }

  void compare_members(const json& value, const json& schema, const std::string& place) {
    if (schema.contains("required"))
      for (const std::string member : schema.at("required")) note(value.contains(member), place + "/" + member);
    const json known = schema.value("properties", json::object());
    for (const auto& [member, held] : value.items()) {
      const std::string at = place + "/" + member;
      if (known.contains(member))
        compare(held, known.at(member), at);
      else if (schema.contains("additionalProperties"))
        compare(held, schema.at("additionalProperties"), at);
      else
        note(false, at);
    }
  }

  static std::string name_in(const json& schema) {
    const std::string at = schema.at("$ref");
    return at.substr(at.rfind('/') + 1);
  }

  void note(bool right, const std::string& place) {
    if (!right) found_.push_back(place);
  }

  const json& schemas_;
  std::vector<std::string> found_;
};

json as_people_see_it(const kernel::EventBody& body) {
  json payload = json::parse(kernel::encode(body));
  kernel::put_in_words(payload, kernel::wording_version);
  return payload;
}

using Places = std::vector<std::string>;

}  // namespace

TEST_CASE("the schema of an event has each member that the event writes, and requires those that it always writes") {
  const json schemas = kernel::record_schemas();
  const auto differences = [&](const std::string& type, const kernel::EventBody& body) {
    return Differences(schemas).of(as_people_see_it(body), schemas.at(kernel::schema_name(type)));
  };
#define ETUDE_EVENT(Type, ...)                                                                    \
  CHECK(differences(#Type, kernel::Type{}) == Places{});                                          \
  CHECK(Differences(schemas).of(json::object(), schemas.at(kernel::schema_name(#Type))).size() == \
        as_people_see_it(kernel::Type{}).size() - (std::string(#Type) == "LineOpened" ? 1U : 0U));
#include "kernel/domain/events.def"
}

TEST_CASE("the schema of an event describes what lists, maps and optional members hold") {
  const json schemas = kernel::record_schemas();
  Differences differences(schemas);
  kernel::RunEnded ended;
  ended.measurement.values = {{"loss", {std::numeric_limits<double>::infinity(), true}}};
  ended.measurement.items = {{"loss", {{"q1", 0.5}}}};
  ended.measurement.verdict = kernel::RunState::invalid;
  ended.outputs = {{"model.pt", {"ab", 3}}};
  ended.outcome.usage.energy = kernel::Energy{{{"package-0", 1.5}}, "rapl:package-0"};
  ended.reason = {kernel::ReasonCode::job_timed_out, {{"limit_ms", std::int64_t{60000}}}};
  kernel::ExperimentRegistered registered;
  registered.registration.hypotheses.emplace_back().treatment = {{"lr", "0.1"}};
  registered.registration.metrics.emplace_back().source = kernel::FromCsv{"log.csv", "loss", ""};
  kernel::NodeRecorded node;
  node.node.stated = {{"title", {kernel::ReasonCode::job_timed_out, {{"limit_ms", std::int64_t{60000}}}}}};

  const json& schema = schemas.at("record_RunEnded");
  const json right = as_people_see_it(ended);
  CHECK(differences.of(right, schema) == Places{});
  CHECK(differences.of(as_people_see_it(registered), schemas.at("record_ExperimentRegistered")) == Places{});
  CHECK(differences.of(as_people_see_it(node), schemas.at("record_NodeRecorded")) == Places{});
  const auto changed = [&](const char* place, const json& value) {
    json wrong = right;
    wrong[json::json_pointer(place)] = value;
    return differences.of(wrong, schema);
  };
  for (const auto& [place, value] :
       std::vector<std::pair<const char*, json>>{{"/measurement/values/loss/value", "high"},
                                                 {"/measurement/items/loss/q1", "0.5"},
                                                 {"/measurement/more", 1},
                                                 {"/outputs/0/path", 7},
                                                 {"/outcome/usage/energy", 1.5},
                                                 {"/state", "done"}})
    CHECK(changed(place, value).size() == 1);
}
