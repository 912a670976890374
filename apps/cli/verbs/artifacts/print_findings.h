#pragma once
// What `check` and `audit` found of an artifact, for people or as JSON.

#include <nlohmann/json.hpp>

#include "apps/cli/terminal/command_context.h"
#include "artifacts/check/check.h"

namespace cli {

/// The verb's exit code. `more`: members beside those of the report, as JSON.
int print_findings(const Context&, const kernel::Result<artifacts::CheckReport>&,
                   const nlohmann::json& more = nlohmann::json::object());

}  // namespace cli
