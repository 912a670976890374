#pragma once
// A study for a person to read: question, results, budget used and the paths of its results. Pure text from the study's
// JSON; results that are not open yet are null there and are not shown.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/cli/terminal/terminal_text.h"

namespace cli {

/// Sets `owner`: the process that works on a running study, else null.
void name_owner(nlohmann::json& study, std::optional<int> owner);

std::string study_text(const nlohmann::json& study, const Screen&);

/// One row per study, oldest first.
std::string study_list(const nlohmann::json& studies, const Screen&);

}  // namespace cli
