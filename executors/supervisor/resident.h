#pragma once
// One process that starts a supervisor for each request of an executor, by a fork: a new program costs a virtual
// machine more than the whole run of a short job. Its children are on their own from then on; it holds nothing that a
// run needs, and may die at any time.

#include <cstdint>

namespace supervisor {

/// `etude-supervisor --resident SOCKET sealed|open PADDING`: where each request is a message with the run folder's path
/// and one descriptor, the notify pipe, and each answer a message of this, with the new supervisor's pidfd if there is
/// one. `sealed`: for sandboxed jobs of root, whose device nodes are sealed once for all (sealed_devices.h).
struct Started {
  std::int32_t error;  ///< errno; 0: here it is.
};

inline constexpr char resident_option[] = "--resident";
inline constexpr char sealed_word[] = "sealed", open_word[] = "open";
/// Room behind its words, for the words of its children: a path as long as can be.
inline constexpr int resident_padding = 4200;

/// Precondition: all of these words are there. Serves until the other end closes, or the machine's mounts have changed
/// under what it sealed. `supervise` is what a child does with its run folder and its notify pipe, and returns how to
/// leave.
int serve(int count, char** words, int (*supervise)(const char* folder, int notify));

}  // namespace supervisor
