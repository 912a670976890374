#pragma once
// What `doctor` says of configured models: whether each could be asked, and of those that it is told to ask, whether
// they answer, how fast, for how much, and whether they call tools. Asking costs a few dozen tokens.

#include <map>
#include <string>
#include <vector>

#include "apps/cli/doctor/doctor_checks.h"
#include "config/config.h"

namespace cli {

/// In the order of their names. `ask`: those to be asked.
std::vector<MachineCheck> model_checks(const config::Config&, const std::vector<std::string>& ask,
                                       const std::map<std::string, std::string>& environment);

}  // namespace cli
