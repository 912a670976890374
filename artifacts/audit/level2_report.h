#pragma once
// What an audit found, by the dimensions of a review of level 2: the shape of an artifact's level2_report.json. Scores
// and spans stay empty where nobody scored. Pure.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "artifacts/audit/model_review.h"
#include "artifacts/check/check.h"

namespace artifacts {

/// `review`: a model's; null without one.
nlohmann::json level2_report(const CheckReport&, const std::string& tool_version, const Review* review = nullptr);

}  // namespace artifacts
