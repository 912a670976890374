#pragma once
// A screening or an optimisation for readers: the tried settings, aliased effects, and the ranking of every rung.
// Everything is labelled as selection; it has no verdicts. Pure.

#include <string>

#include "kernel/study/state.h"

namespace artifacts {

/// evidence/results/S01.md
/// The path of a version's diff.
std::string version_path(const std::string& version);
std::string search_page(const kernel::Study&);
/// A section of the report; empty without a search.
std::string search_section(const kernel::Study&);

}  // namespace artifacts
