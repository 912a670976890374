#include <nlohmann/json.hpp>

#include "apps/server/api/api.h"
#include "apps/server/protocol/protocol.h"
#include "embedded/api_schemas.h"

namespace server {

namespace {

using nlohmann::json;

constexpr const char* problem_type = "application/problem+json";

/// "/studies/{id}/graph" of GET → "getStudiesIdGraph".
std::string operation_id(const Route& route) {
  std::string id = route.method == "GET" ? "get" : "post";
  bool begins = true;
  for (const char c : route.pattern) {
    if (c == '/' || c == '{' || c == '}' || c == '-') {
      begins = true;
      continue;
    }
    id += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    begins = false;
  }
  return id;
}

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

constexpr std::string_view which_is_whose = "routes.json";

json read_schemas(std::string_view file) {
  return json::parse(embedded::api_schemas(file));
}

json all_schemas() {
  json all = json::object();
  for (const std::string_view file : embedded::api_schemas_files())
    if (file != which_is_whose) all.update(read_schemas(file));
  return all;
}

/// The schema of a route. Throws if routes.json has no line for it, so that a route without one fails every test of the
/// API.
json schema_of(const json& known, const Route& route) {
  return known.at(route.method + " " + route.pattern);
}

json operation_of(const Route& route, const json& whose) {
  json parameters = path_parameters(route.pattern);
  for (json& one : query_parameters(route)) parameters.push_back(std::move(one));
  const json answer = {{"description", "the result"},
                       {"content", {{route.type, {{"schema", schema_of(whose.at("answers"), route)}}}}}};
  json operation = {
      {"operationId", operation_id(route)},
      {"summary", route.summary},
      {"responses",
       {{route.gives == 201 ? "201" : "200", answer}, {"default", {{"$ref", "#/components/responses/refused"}}}}}};
  if (!parameters.empty()) operation["parameters"] = std::move(parameters);
  if (route.method == "POST")
    operation["requestBody"] = {
        {"content", {{"application/json", {{"schema", schema_of(whose.at("bodies"), route)}}}}}};
  if (route.method == "POST" && route.pattern == "/session") operation["security"] = json::array();
  return operation;
}

}  // namespace

json description_of(const std::vector<Route>& routes) {
  json paths = json::object();
  const json whose = read_schemas(which_is_whose);
  for (const Route& route : routes)
    paths[route.pattern][route.method == "GET" ? "get" : "post"] = operation_of(route, whose);
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "etude"},
            {"version", ETUDE_VERSION},
            {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
          {"servers", {{{"url", api_root}}}},
          {"security", {{{"token", json::array()}}}},
          {"paths", std::move(paths)},
          {"components",
           {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
            {"schemas", all_schemas()},
            {"responses",
             {{"refused",
               {{"description", "why not"},
                {"content", {{problem_type, {{"schema", {{"$ref", "#/components/schemas/problem"}}}}}}}}}}}}}};
}

}  // namespace server
