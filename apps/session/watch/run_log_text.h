#pragma once
// The output of a run: from the store once it has ended, before that from its folder.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/session/home/home.h"
#include "base/redact.h"
#include "executors/backend/backend.h"

namespace session {

/// `run`: the contract's shape. Throws StoreFault where the store's bytes are missing.
std::string printed_by(const HomePaths&, const executors::Backend&, const nlohmann::json& run, executors::Stream,
                       const kernel::Redactor&);

/// Whether the output is withheld, because it may contain the values of a registered run. Logs of failed runs are open.
/// `run`: as `Withheld` returns it.
bool is_log_withheld(const nlohmann::json& run);

}  // namespace session
