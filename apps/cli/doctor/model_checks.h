#pragma once
// The checks of `doctor` for configured models: whether each can be asked and, for those in `ask`, whether it answers,
// how fast, at what price, and whether it calls tools. Asking costs a few dozen tokens.

#include <map>
#include <string>
#include <vector>

#include "apps/cli/doctor/doctor_checks.h"
#include "config/config.h"

namespace cli {

/// By name. `ask`: the models to ask.
std::vector<MachineCheck> model_checks(const config::Config&, const std::vector<std::string>& ask,
                                       const std::map<std::string, std::string>& environment);

}  // namespace cli
