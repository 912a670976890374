#pragma once
// Asks a configured model to review an artifact by six dimensions. Wrong quotations are reported to the model once or
// twice; those that stay wrong are left out.

#include <map>
#include <string>

#include "artifacts/audit/level2_review.h"
#include "base/result.h"
#include "config/config.h"

namespace cli {

struct Reviewed {
  artifacts::Review review;
  std::vector<std::string> left_out;  ///< Pages that did not fit into the request.
  std::string price;
};

/// A problem if the model is not configured, only embeds, has no key, or does not answer.
kernel::Result<Reviewed> model_review(const config::Config&, const std::string& model, const std::string& artifact,
                                      const std::map<std::string, std::string>& environment);

}  // namespace cli
