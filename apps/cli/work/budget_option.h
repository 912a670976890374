#pragma once
// Reads a budget from the command line.

#include <optional>
#include <string>

#include "base/result.h"
#include "kernel/domain/study_spec.h"

namespace cli {

/// Reads one `KEY=VALUE` into the budget; returns what is wrong with it. `plain`: a plain duration is wall time, too.
std::optional<kernel::Problem> read_budget(const std::string& entry, kernel::Budget&, bool plain = false);

}  // namespace cli
