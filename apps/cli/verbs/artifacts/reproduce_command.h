#pragma once
// Artifacts that others made, by a command of theirs or of the reader.

#include <string>

#include "apps/cli/terminal/command_context.h"

namespace cli {

/// Runs it once in a copy of the artifact, inside the sandbox, without network, and says what that tells of each claim.
/// `command`: empty for what the artifact offers. `output`: a new folder for the report; empty: none is written.
int reproduce_foreign(const Context&, const std::string& artifact, const std::string& command,
                      const std::string& output);

}  // namespace cli
