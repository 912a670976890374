#pragma once
// Finds the results that a home has on a question before a study asks it. Only reads the store; any thread.

#include <string>
#include <vector>

#include "kernel/domain/commands.h"

namespace session {

/// Hypotheses that were judged before in this home by the same commands, or by any commands of studies in the same
/// folder, since a blank more makes no new question. Also those with the contrast of a hypothesis that is already known
/// (listed, or derived from the factors), by any commands. The newest 500, oldest first.
std::vector<kernel::Predecessor> predecessors(const std::string& home, const kernel::StudyOpened&);

/// Of those, the ones that the past of the fork does not have, since its author may know how the original study ended.
/// Precondition: the fork's events are already those of the fork.
std::vector<kernel::Predecessor> found_since(const std::string& home, const kernel::ForkStudy&);

}  // namespace session
