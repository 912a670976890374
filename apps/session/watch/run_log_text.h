#pragma once
// What a run printed: in the store once it has ended, before that in its folder.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/session/home/home.h"
#include "base/redact.h"
#include "executors/backend/backend.h"

namespace session {

/// `run`: the contract's shape. Throws StoreFault where the store's bytes are missing.
std::string printed_by(const HomePaths&, const executors::Backend&, const nlohmann::json& run, executors::Stream,
                       const kernel::Redactor&);

/// Whether what it printed is nobody's business yet: it may tell the values of a registered run. What failed may be
/// looked into. `run`: as `Withheld` shows it.
bool is_log_withheld(const nlohmann::json& run);

}  // namespace session
