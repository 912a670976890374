#pragma once
// A screening or an optimisation for readers: what was tried, what shares columns with what, and what every rung said.
// Everything is labelled as selection; verdicts stand elsewhere. Pure.

#include <string>

#include "kernel/study/state.h"

namespace artifacts {

/// evidence/results/S01.md
/// Where a version's diff lies.
std::string version_path(const std::string& version);
std::string search_page(const kernel::Study&);
/// A section of the report; empty without a search.
std::string search_section(const kernel::Study&);

}  // namespace artifacts
