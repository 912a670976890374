#pragma once
// Problems and budgets as they travel over the API. Pure.

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "kernel/domain/study_spec.h"

namespace server {

/// application/problem+json (RFC 9457) with our own members `file`, `line`, `what`, `todo` and `machine`.
nlohmann::json problem_body(const kernel::Problem&, int status);
/// The inverse, as far as it goes: of any problem document.
kernel::Problem problem_of(const nlohmann::json&);

/// {"runs","wall_s","usd","tokens","gpu_hours"}: what is set.
nlohmann::json budget_body(const kernel::Budget&);

}  // namespace server
