#pragma once
// What a hypothesis that averages over settings found in each of them, as a part of the report. Describes; tests
// nothing. Pure.

#include <string>

#include "kernel/study/state.h"

namespace artifacts {

/// A sentence and a table; empty where there is nothing to tell apart.
std::string settings_text(const kernel::Study&, const kernel::HypothesisRecord&);

}  // namespace artifacts
