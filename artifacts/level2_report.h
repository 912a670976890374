#pragma once
// What an audit found, by the dimensions of a review of level 2: the shape of an artifact's level2_report.json. Scores
// and spans stay empty until somebody scores. Pure.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "artifacts/check.h"

namespace artifacts {

nlohmann::json level2_report(const CheckReport&, const std::string& tool_version);

}  // namespace artifacts
