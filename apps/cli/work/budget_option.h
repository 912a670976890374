#pragma once
// How a budget is said on the command line.

#include <optional>
#include <string>

#include "base/result.h"
#include "kernel/domain/study_spec.h"

namespace cli {

/// One `KEY=VALUE` into the budget; what is wrong with it. `plain`: a duration by itself is wall time, too.
std::optional<kernel::Problem> read_budget(const std::string& entry, kernel::Budget&, bool plain = false);

}  // namespace cli
