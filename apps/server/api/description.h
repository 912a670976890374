#pragma once
// The API's description as an OpenAPI 3.1 document, made from the table of routes and from apps/server/schemas, which
// describe requests and answers. Tests compare real answers with it.

#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace server {

struct Route;

nlohmann::json description_of(const std::vector<Route>&);

}  // namespace server
