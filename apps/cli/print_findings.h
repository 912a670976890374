#pragma once
// What `check` and `audit` found of an artifact, for people or as JSON.

#include "apps/cli/cli.h"
#include "artifacts/check.h"

namespace cli {

/// The verb's exit code.
int print_findings(const Context&, const kernel::Result<artifacts::CheckReport>&);

}  // namespace cli
