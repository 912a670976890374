#pragma once
// Asks one configured model outside of any study, and waits: nothing of it is recorded.

#include <string>

#include "config/config.h"
#include "models/message.h"
#include "models/service.h"

namespace cli {

/// `attempts`: of which all but the last may fail for a reason that passes.
models::Outcome ask_and_wait(const models::Model&, models::Request, int attempts);

/// A request to it as it is configured, with nothing said yet.
models::Request request_to(const config::ModelEntry&);

/// "1200 + 300 tokens for $0.01", or what is not known of that.
std::string price_text(const config::ModelEntry&, const models::Usage&);

}  // namespace cli
