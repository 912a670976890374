#pragma once
// Lets a study go on without the terminal: in a process of its own, in a session of its own, with a file for what it
// prints. Until the study has begun, its errors are those of this process.

#include <vector>

#include "apps/cli/terminal/command_context.h"
#include "apps/cli/work/follow_studies.h"

namespace cli {

/// Starts the process, waits until the study has begun, and prints its id and how to watch it. Returns the exit code:
/// that of the error if it did not begin. Also returns in the new process, when that has nothing more to do. To be
/// called before this process has made a thread.
int follow_detached(const Context&, FollowRequest);

}  // namespace cli
