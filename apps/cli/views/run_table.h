#pragma once
// Runs as rows: purpose, outcome, factors, seed, metrics and cost. Pure; takes the `run` JSON as `Withheld` returns it.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "apps/cli/terminal/terminal_text.h"

namespace cli {

/// `study` gives the units of metrics. Columns are the factors and metrics that any of the runs has.
std::string run_table(const nlohmann::json& study, const std::vector<nlohmann::json>& runs, const Screen&);

}  // namespace cli
