#include <nlohmann/json.hpp>

#include "apps/server/api/api.h"
#include "apps/server/api/event_schemas.h"
#include "apps/server/protocol/protocol.h"
#include "embedded/api_schemas.h"

namespace server {

namespace {

using nlohmann::json;

constexpr const char* problem_type = "application/problem+json";

json path_parameters(const std::string& pattern) {
  json list = json::array();
  for (std::size_t begin = pattern.find('{'); begin != std::string::npos; begin = pattern.find('{', begin + 1))
    list.push_back({{"name", pattern.substr(begin + 1, pattern.find('}', begin) - begin - 1)},
                    {"in", "path"},
                    {"required", true},
                    {"schema", {{"type", "string"}}}});
  return list;
}

json query_parameters(const Route& route) {
  json list = json::array();
  for (const QueryParameter& one : route.query)
    list.push_back(
        {{"name", one.name}, {"in", "query"}, {"description", one.meaning}, {"schema", {{"type", one.type}}}});
  return list;
}

json component(const char* kind, const std::string& name) {
  return {{"$ref", std::string("#/components/") + kind + "/" + name}};
}

constexpr std::string_view of_routes = "routes.json";

json read_schemas(std::string_view file) {
  return json::parse(embedded::api_schemas(file));
}

json all_schemas() {
  json all = event_schemas();
  for (const std::string_view file : embedded::api_schemas_files())
    if (file != of_routes) all.update(read_schemas(file));
  json& types = all.at("problem").at("properties").at("type")["enum"];
  for (const ProblemKind& kind : problem_kinds()) types.push_back(uri_of(kind.type));
  return all;
}

/// For every GET but streams. Over TCP an answer has an ETag; a client that sends it back gets 304
/// while the answer is the same.
void describe_tag(json& operation) {
  operation["parameters"].push_back(component("parameters", "if_none_match"));
  operation["responses"]["200"]["headers"]["ETag"] = component("headers", "etag");
  operation["responses"]["304"] = component("responses", "not_modified");
}

void describe_ranges(json& operation) {
  operation["parameters"].push_back(component("parameters", "range"));
  operation["parameters"].push_back(component("parameters", "if_range"));
  operation["responses"]["200"]["headers"]["Accept-Ranges"] = component("headers", "accept_ranges");
  operation["responses"]["416"] = component("responses", "refused");
  json part = operation["responses"]["200"];
  part["description"] = "the bytes that `Range` asks for";
  part["headers"]["Content-Range"] = component("headers", "content_range");
  operation["responses"]["206"] = std::move(part);
}

json schema_of_stream() {
  return {{"type", "string"},
          {"description",
           "server-sent events. `id`: the event's `seq`; `event`: its type; `data`: an `event`. With `text=true` also "
           "`event: text` without `id`, whose `data` is a `said_text`"},
          {"x-event-data", component("schemas", "event")},
          {"x-text-data", component("schemas", "said_text")}};
}

/// A list that is sent whole, or as a page to a client that asks for one.
json whole_or_page(const json& item) {
  const json list = {{"type", "array"}, {"items", item}};
  const json page = {
      {"type", "object"},
      {"description", "for a `limit` or a `cursor`"},
      {"required", {"cursor", "items", "total"}},
      {"properties",
       {{"items", list},
        {"total", {{"type", "integer"}, {"description", "items on all pages"}}},
        {"cursor", {{"type", {"string", "null"}}, {"description", "of the next page; null: this is the last"}}}}}};
  return {{"anyOf", {list, page}}};
}

/// `about`: the line of the route in routes.json.
json operation_of(const Route& route, const json& about) {
  const bool streams = route.type == stream_type;
  const std::string status = std::to_string(route.gives);
  const json answer = streams                     ? schema_of_stream()
                      : about.contains("list_of") ? whole_or_page(about.at("list_of"))
                                                  : about.at("answer");
  json operation = {{"operationId", about.at("name")},
                    {"tags", {about.at("tag")}},
                    {"summary", route.summary},
                    {"parameters", path_parameters(route.pattern)},
                    {"responses", {{"default", component("responses", "refused")}}}};
  for (json& one : query_parameters(route)) operation["parameters"].push_back(std::move(one));
  operation["responses"][status] = {{"description", "the result"}, {"content", {{route.type, {{"schema", answer}}}}}};
  if (streams)
    operation["parameters"].push_back(component("parameters", "last_event_id"));
  else if (route.method == "GET")
    describe_tag(operation);
  if (route.ranges) describe_ranges(operation);
  if (operation["parameters"].empty()) operation.erase("parameters");
  if (route.method == "POST")
    operation["requestBody"] = {{"content", {{"application/json", {{"schema", about.at("body")}}}}}};
  if (route.method == "POST" && route.pattern == "/session") operation["security"] = json::array();
  return operation;
}

json header_parameter(const char* name, const char* meaning) {
  return {{"name", name}, {"in", "header"}, {"description", meaning}, {"schema", {{"type", "string"}}}};
}

json header(const char* meaning) {
  return {{"description", meaning}, {"schema", {{"type", "string"}}}};
}

json components() {
  return {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
          {"schemas", all_schemas()},
          {"parameters",
           {{"if_none_match", header_parameter("If-None-Match", "the `ETag` of an earlier answer")},
            {"last_event_id", header_parameter("Last-Event-ID",
                                               "the `id` of the last event that the client has: the "
                                               "stream goes on after it, without gap or repeat")},
            {"range",
             header_parameter(
                 "Range", "`bytes=FIRST-LAST`, `bytes=FIRST-` or `bytes=-COUNT`; of several ranges the whole is sent")},
            {"if_range", header_parameter("If-Range",
                                          "the `ETag` of the bytes that the client has a part of: if it has "
                                          "changed, the whole is sent")}}},
          {"headers",
           {{"etag", header("of the bytes as sent; on TCP only")},
            {"accept_ranges", header("`bytes`")},
            {"content_range", header("`bytes FIRST-LAST/ALL`, or of a refusal `bytes */ALL`")}}},
          {"responses",
           {{"not_modified", {{"description", "the client has it: `If-None-Match` names its tag"}}},
            {"refused",
             {{"description", "a refusal (RFC 9457); `GET /problems` explains each `type`"},
              {"content", {{problem_type, {{"schema", component("schemas", "problem")}}}}}}}}}};
}

}  // namespace

json description_of(const std::vector<Route>& routes) {
  json paths = json::object();
  const json about = read_schemas(of_routes);
  // Throws if routes.json has no line for a route, so that a route without one fails every test of the API.
  for (const Route& route : routes)
    paths[route.pattern][route.method == "GET" ? "get" : "post"] =
        operation_of(route, about.at("routes").at(route.method + " " + route.pattern));
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "etude"},
            {"version", ETUDE_VERSION},
            {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
          {"servers", {{{"url", api_root}}}},
          {"security", {{{"token", json::array()}}}},
          {"tags", about.at("tags")},
          {"paths", std::move(paths)},
          {"components", components()}};
}

}  // namespace server
