#pragma once
// The API in its own words: an OpenAPI 3.1 document, made of the table that serves and of apps/server/schemas, which
// say what is given and taken; the tests hold real answers beside them.

#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace server {

struct Route;

nlohmann::json description_of(const std::vector<Route>&);

}  // namespace server
