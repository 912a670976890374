#pragma once
// The turns of the built-in roles; see agents/builtin.h.

#include <string>
#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace agents {

/// Takes the file's hypotheses, or derives them, and closes the family.
std::vector<kernel::CommandBody> hypothesis_turn(const kernel::Study&);
/// Manipulation check, pilot, sizing, registration: whatever is due.
std::vector<kernel::CommandBody> experiment_turn(const kernel::Study&);
/// Asks for the verdicts of what has ended.
std::vector<kernel::CommandBody> analysis_turn(const kernel::Study&);
/// Claims from verdicts, dead ends from what was refuted or broke, then the conclusion.
std::vector<kernel::CommandBody> writeup_turn(const kernel::Study&);

}  // namespace agents
