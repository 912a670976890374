#pragma once
// Problems and budgets as JSON of the API. Pure.

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "kernel/domain/study_spec.h"

namespace server {

/// application/problem+json (RFC 9457) with the additional members `file`, `line`, `what`, `todo` and `machine`.
nlohmann::json problem_body(const kernel::Problem&, int status);
/// The inverse, for any problem document, as far as its members are known.
kernel::Problem problem_of(const nlohmann::json&);

/// {"runs","wall_s","usd","tokens","gpu_hours"}, only those that are set.
nlohmann::json budget_body(const kernel::Budget&);

}  // namespace server
