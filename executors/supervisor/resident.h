#pragma once
// A process that forks a supervisor for each request of an executor: in a virtual machine, starting a new program costs
// more than a whole short run. Its children are independent of it; it holds nothing that a run needs, and may die at
// any time.

namespace supervisor {

/// Precondition: the arguments are those of run_protocol/resident_messages.h. Serves until the other end closes, or the
/// machine's mounts change after the sealing. `supervise` runs in a child with its run folder and notify pipe, and
/// returns the exit status.
int serve(int count, char** words, int (*supervise)(const char* folder, int notify));

}  // namespace supervisor
