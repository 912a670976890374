#pragma once
// The four roles without a model: design of experiments on declared factors. Pure: a turn reads the study and returns
// commands, which the kernel may refuse.

#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/loop/due.h"

namespace agents {

/// One turn of one role. Empty if the role has nothing to do in this phase.
std::vector<kernel::Command> builtin_turn(kernel::Role, const kernel::Study&);

}  // namespace agents
