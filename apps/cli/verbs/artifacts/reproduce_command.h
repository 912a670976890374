#pragma once
// Reproduces artifacts of other programs, by a command of the artifact or of the reader.

#include <string>

#include "apps/cli/terminal/command_context.h"

namespace cli {

/// Runs the command once in a copy of the artifact, in the sandbox without network, and prints the outcome of each
/// claim. `command`: empty for the artifact's own. `output`: a new folder for the report; empty if none is to be
/// written.
int reproduce_foreign(const Context&, const std::string& artifact, const std::string& command,
                      const std::string& output);

}  // namespace cli
