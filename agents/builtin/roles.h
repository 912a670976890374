#pragma once
// The turns of the built-in roles; see agents/builtin.h.

#include <string>
#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace agents {

/// Takes the file's hypotheses, or derives them, and closes the family.
std::vector<kernel::CommandBody> hypothesis_turn(const kernel::Study&);
/// Returns the commands that are due: manipulation check, pilot, sizing, registration.
std::vector<kernel::CommandBody> experiment_turn(const kernel::Study&);
/// Asks for the verdicts of experiments that have ended.
std::vector<kernel::CommandBody> analysis_turn(const kernel::Study&);
/// Claims from verdicts, dead ends from refuted hypotheses and failed arms, then the conclusion.
std::vector<kernel::CommandBody> writeup_turn(const kernel::Study&);

}  // namespace agents
