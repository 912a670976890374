#pragma once
// Gates for a person to read: what is asked, what an approval allows, and the commands to answer. Pure text from the
// JSON of the study and of its gates; a gate before runs has its design as "allows" (`gate_plan_shape`).

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/cli/views/text_page.h"

namespace cli {

/// One gate with its answer if it has one, else with all that an approval allows.
std::string gate_text(const nlohmann::json& study, const nlohmann::json& gate, const Screen&);

/// Where the study waits for a person, as fields of its page: what is asked, runs, time and command, and the answer.
void put_gates(const nlohmann::json& study, TextPage&);

}  // namespace cli
