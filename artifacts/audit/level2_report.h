#pragma once
// An audit's findings by the dimensions of a level 2 review, in the form of an artifact's level2_report.json. Scores
// and spans are empty without a review. Pure.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "artifacts/audit/model_review.h"
#include "artifacts/check/check.h"

namespace artifacts {

/// `review`: by a model; null without one.
nlohmann::json level2_report(const CheckReport&, const std::string& tool_version, const Review* review = nullptr);

}  // namespace artifacts
