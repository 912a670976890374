#pragma once
// A process that forks a supervisor for each request of an executor: in a virtual machine, starting a new program costs
// more than a whole short run. Its children are independent of it; it holds nothing that a run needs, and may die at
// any time.

#include <functional>
#include <string>

namespace supervisor {

/// Precondition: the arguments are those of run_protocol/resident_messages.h. Serves until the other end closes, or the
/// machine's mounts change after the sealing. `supervise` runs in a child with its first run folder and the executor's
/// line, and returns the exit status. It calls `show` with each further folder, or with nothing while it has none; this
/// is then the process's argument.
int serve(int count, char** words,
          int (*supervise)(const std::string& folder, int line, const std::function<void(const std::string&)>& show));

}  // namespace supervisor
