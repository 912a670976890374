#pragma once
// Finds the results that a home has on a question before a study asks it. Only reads the store; any thread.

#include <string>
#include <vector>

#include "kernel/domain/commands.h"

namespace session {

/// What was judged before in this home by the same commands, or by whatever commands of studies in the same folder: a
/// blank more makes no other question. Of the hypotheses that are known by now (listed, or derived from the factors)
/// what compared the same, wherever and by whatever commands. The newest 500, oldest first.
std::vector<kernel::Predecessor> predecessors(const std::string& home, const kernel::StudyOpened&);

/// Of that, what the past of the fork does not hold: who forks a study may know how it ended. Its events are
/// told of the fork already.
std::vector<kernel::Predecessor> found_since(const std::string& home, const kernel::ForkStudy&);

}  // namespace session
