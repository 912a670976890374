#pragma once
// Prints the findings of `check` and `audit`, for people or as JSON.

#include <nlohmann/json.hpp>

#include "apps/cli/terminal/command_context.h"
#include "artifacts/check/check.h"

namespace cli {

/// Returns the exit code. `more`: members to add to the report's JSON.
int print_findings(const Context&, const kernel::Result<artifacts::CheckReport>&,
                   const nlohmann::json& more = nlohmann::json::object());

}  // namespace cli
