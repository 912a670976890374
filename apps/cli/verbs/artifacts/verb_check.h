#pragma once
// `check`, whose findings `audit` and `import` print in the same way.

#include <nlohmann/json.hpp>

#include "apps/cli/terminal/command_context.h"
#include "artifacts/check/check.h"

namespace cli {

/// Prints the findings for people or as JSON, and returns the exit code. `more`: members to add to the report's JSON.
int print_findings(const Context&, const kernel::Result<artifacts::CheckReport>&,
                   const nlohmann::json& more = nlohmann::json::object());

}  // namespace cli
