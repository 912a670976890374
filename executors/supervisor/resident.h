#pragma once
// A process that forks a supervisor for each request of an executor: in a virtual machine, starting a new program costs
// more than a whole short run. Its children are independent of it; it holds nothing that a run needs, and may die at
// any time.

#include <cstdint>

namespace supervisor {

/// `etude-supervisor --resident SOCKET sealed|open PADDING`. A request is a message with the run folder's path and one
/// descriptor, the notify pipe. An answer is a message of this type, with the new supervisor's pidfd if there is one.
/// `sealed`: for sandboxed jobs of root, with device nodes sealed once for all (sealed_devices.h).
struct Started {
  std::int32_t error;  ///< errno; 0 if the supervisor was started.
};

inline constexpr char resident_option[] = "--resident";
inline constexpr char sealed_word[] = "sealed", open_word[] = "open";
/// Padding after its arguments, for the arguments of its children: the longest path.
inline constexpr int resident_padding = 4200;

/// Precondition: all of these arguments are present. Serves until the other end closes, or the machine's mounts change
/// after the sealing. `supervise` runs in a child with its run folder and notify pipe, and returns the exit status.
int serve(int count, char** words, int (*supervise)(const char* folder, int notify));

}  // namespace supervisor
