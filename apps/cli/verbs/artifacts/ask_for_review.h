#pragma once
// Has a configured model read an artifact and score the six dimensions of a review. What it quotes wrongly it is told,
// once or twice; what it still quotes wrongly is left out.

#include <map>
#include <string>

#include "artifacts/audit/model_review.h"
#include "base/result.h"
#include "config/config.h"

namespace cli {

struct Reviewed {
  artifacts::Review review;
  std::vector<std::string> left_out;  ///< Pages that it was not shown for want of room.
  std::string price;
};

/// Refused where the model is not configured, embeds only, or its key is not set, and where it does not answer.
kernel::Result<Reviewed> model_review(const config::Config&, const std::string& model, const std::string& artifact,
                                      const std::map<std::string, std::string>& environment);

}  // namespace cli
