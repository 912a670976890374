#pragma once
// Runs as rows: what each was for, how it ended, its factors, seed, metrics and cost. Pure; takes the `run` shape as
// `Withheld` shows it.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "apps/cli/terminal/terminal_text.h"

namespace cli {

/// `study`: for the units of its metrics. Columns are the factors and metrics that any of the runs has.
std::string run_table(const nlohmann::json& study, const std::vector<nlohmann::json>& runs, const Screen&);

}  // namespace cli
