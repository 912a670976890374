#pragma once
// Lets studies go on without the terminal: in a process of its own, in a session of its own, with a file for what it
// prints. Until a study has begun, its errors are those of this process.

#include <vector>

#include "apps/cli/terminal/command_context.h"
#include "apps/cli/work/follow_studies.h"

namespace cli {

/// Starts the process, waits until the studies have begun or go on, and prints their ids and how to watch them. Returns
/// the exit code: that of the error if one did not begin. At least one request. Also returns in the new process, when
/// that has nothing more to do. To be called before this process has made a thread.
int follow_detached(const Context&, std::vector<FollowRequest>);

}  // namespace cli
