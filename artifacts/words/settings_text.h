#pragma once
// Part of the report: for a hypothesis that averages over settings, the effect in each setting. Descriptive; tests
// nothing. Pure.

#include <string>

#include "kernel/study/state.h"

namespace artifacts {

/// A sentence and a table; empty if there is only one setting.
std::string settings_text(const kernel::StudyTerms&, const kernel::HypothesisRecord&);

}  // namespace artifacts
