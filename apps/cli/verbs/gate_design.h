#pragma once
// Adds to the gates of a study what an approval allows, as the HTTP API gives it.

#include <nlohmann/json_fwd.hpp>

#include "apps/cli/terminal/command_context.h"
#include "memory/store/reader.h"

namespace cli {

/// Sets "allows" of every gate of the `study` JSON that waits before runs. Loads the study only if there is one.
void add_allowed(const Context&, const memory::Reader&, nlohmann::json& study);

}  // namespace cli
