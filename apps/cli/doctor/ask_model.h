#pragma once
// Asks configured models outside of any study, for a person or as checks of `doctor`, and waits for the replies;
// records nothing.

#include <map>
#include <string>
#include <vector>

#include "apps/cli/doctor/ask_server.h"
#include "apps/cli/doctor/doctor_checks.h"
#include "config/config.h"
#include "models/message.h"
#include "models/service/service.h"

namespace cli {

/// "1200 (1000 from the cache) + 300 tokens for $0.01", or what is unknown of that.
std::string price_text(const config::ModelEntry&, const models::TokenUsage&);

/// The checks of `doctor`, by the models' names: whether each can be asked and, for those in `ask`, whether it answers,
/// how fast, at what price, and whether it calls tools. Asking costs a few dozen tokens.
std::vector<MachineCheck> model_checks(const config::Config&, const std::vector<std::string>& ask,
                                       const std::map<std::string, std::string>& environment);

}  // namespace cli
