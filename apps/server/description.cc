#include "apps/server/description.h"

#include <nlohmann/json.hpp>

#include "apps/server/routes.h"

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

json answer_of(const std::string& type) {
  return {{"description", "what was asked for"}, {"content", {{type, {{"schema", json::object()}}}}}};
}

json operation_of(const Route& route) {
  json parameters = path_parameters(route.pattern);
  for (json& one : query_parameters(route)) parameters.push_back(std::move(one));
  json operation = {{"operationId", operation_id(route)},
                    {"summary", route.summary},
                    {"responses",
                     {{route.gives == 201 ? "201" : "200", answer_of(route.type)},
                      {"default", {{"$ref", "#/components/responses/refused"}}}}}};
  if (!parameters.empty()) operation["parameters"] = std::move(parameters);
  if (route.method == "POST")
    operation["requestBody"] = {{"content", {{"application/json", {{"schema", {{"type", "object"}}}}}}}};
  if (route.method == "POST" && route.pattern == "/session") operation["security"] = json::array();
  return operation;
}

json problem_schema() {
  json members = json::object();
  for (const char* name : {"type", "title", "detail", "file", "what", "todo", "pointer"})
    members[name] = {{"type", "string"}};
  for (const char* name : {"status", "line"}) members[name] = {{"type", "integer"}};
  members["machine"] = {{"type", "boolean"}};
  return {{"type", "object"}, {"required", {"type", "title", "status"}}, {"properties", std::move(members)}};
}

}  // namespace

json description_of(const std::vector<Route>& routes) {
  json paths = json::object();
  for (const Route& route : routes) paths[route.pattern][route.method == "GET" ? "get" : "post"] = operation_of(route);
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
            {"schemas", {{"problem", problem_schema()}}},
            {"responses",
             {{"refused",
               {{"description", "why not"},
                {"content", {{problem_type, {{"schema", {{"$ref", "#/components/schemas/problem"}}}}}}}}}}}}}};
}

}  // namespace server
