#pragma once
// The four roles without a model: design of experiments on declared factors. Pure: a turn reads the study and answers
// with commands, which the kernel may refuse. Knows no numbers of its own and no I/O.

#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/loop/due.h"

namespace agents {

/// One turn of one role. Empty only when the role has nothing to do at this stage.
std::vector<kernel::Command> builtin_turn(kernel::Role, const kernel::Study&);

}  // namespace agents
