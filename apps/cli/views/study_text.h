#pragma once
// A study for a person to read: what it asks, what it found, what it spent and where its results lie. Pure text from
// the contract's JSON; results that are not open yet are null there and stay so here.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/cli/terminal/terminal_text.h"

namespace cli {

/// Sets `owner`: the process at work on a running study, else null.
void name_owner(nlohmann::json& study, std::optional<int> owner);

/// `running`, `stopped` where it runs and nobody is at work on it, `paused (budget)`, or how it ended.
std::string state_text(const nlohmann::json& study);

std::string study_text(const nlohmann::json& study, const Screen&);

/// One row per study, oldest first.
std::string study_list(const nlohmann::json& studies, const Screen&);

/// `algorithm=quick n=1000`; `–` for an empty cell.
std::string cell_text(const nlohmann::json& cell);

}  // namespace cli
