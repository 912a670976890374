#pragma once
// The API in its own words: an OpenAPI 3.1 document, made of the table that serves.

#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace server {

struct Route;

nlohmann::json description_of(const std::vector<Route>&);

}  // namespace server
