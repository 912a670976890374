#pragma once
// What an executor and the resident process that forks its supervisors (supervisor/resident.h) say to each other, over
// a socket that keeps messages whole. A message may carry one descriptor.

#include <cstdint>
#include <span>
#include <string_view>

#include "executors/run_protocol/small_files.h"

namespace supervisor {

/// `etude-supervisor --resident SOCKET sealed|open PADDING`. A request is a message with the run folder's path and one
/// descriptor, the line: a socket of the same kind between the executor and the new supervisor. An answer is a message
/// of this type, with the new supervisor's pidfd if there is one. `sealed`: for sandboxed jobs of root, with device
/// nodes sealed once for all (sealed_devices.h).
struct Started {
  std::int32_t error;  ///< errno; 0 if the supervisor was started.
};

/// Along the line a supervisor says `launched MS\n` once the command has run for some milliseconds, and this when the
/// outcome is written and the lock is free. The executor may answer with the path of another run folder, which has the
/// same claim, lock and outcome as the first. At the line's end the supervisor leaves.
inline constexpr std::string_view ended_word = "ended\n";

inline constexpr char resident_option[] = "--resident";
inline constexpr char sealed_word[] = "sealed", open_word[] = "open";
/// Padding after its arguments, for the arguments of its children: the longest path.
inline constexpr int resident_padding = 4200;

/// `descriptor`: -1 for none. `flags`: for sendmsg. False if the message was not sent as a whole.
bool send_message(int socket, std::string_view bytes, int descriptor, int flags = 0);

struct ResidentMessage {
  std::size_t size = 0;  ///< In bytes; 0 if none came.
  bool cut = false;      ///< It was longer than the memory for it.
  Fd descriptor;         ///< Empty if it carried none.
};
/// `flags`: for recvmsg.
ResidentMessage receive_message(int socket, std::span<char> into, int flags = 0);

}  // namespace supervisor
