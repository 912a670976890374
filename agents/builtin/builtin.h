#pragma once
// The four roles without a model: design of experiments on declared factors. Pure: a turn reads the study and returns
// commands, which the kernel may refuse.

#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace agents {

/// One turn of one role. Empty if the role has nothing to do in this phase.
std::vector<kernel::Command> builtin_turn(kernel::Role, const kernel::Study&);

/// The turn of the writeup: claims from verdicts, dead ends from refuted hypotheses and failed arms, then the
/// conclusion.
std::vector<kernel::CommandBody> writeup_turn(const kernel::Study&);

}  // namespace agents
