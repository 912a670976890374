#pragma once
// Asks one configured model outside of any study and waits for the reply; records nothing.

#include <string>

#include "config/config.h"
#include "models/message.h"
#include "models/service.h"

namespace cli {

/// Tries up to `attempts` times, as long as the failure may pass.
models::Outcome ask_and_wait(const models::Model&, models::Request, int attempts);

/// An empty request to the model with its configured settings.
models::Request request_to(const config::ModelEntry&);

/// "1200 + 300 tokens for $0.01", or what is unknown of that.
std::string price_text(const config::ModelEntry&, const models::Usage&);

}  // namespace cli
