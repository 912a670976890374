#pragma once
// Linux queues a signal for each write to a pipe, and a pipe in packet mode returns one write at a time. So the order
// of writes to two pipes is known. For the supervisor's one thread.

#include <signal.h>

namespace supervisor {

/// Of a pipe in packet mode each write occupies a page.
inline constexpr int packets_in_pipe = 32;

/// The signal of a write, and SIGIO, which comes instead if too many signals are queued.
sigset_t write_signals();
/// This process keeps them blocked from its first job on, and reads them from a descriptor.
void block_write_signals();
/// For a child, which must not pass a blocked signal on to the job.
void unblock_write_signals();

/// Has each write to the pipe signalled, from the next one on. Precondition: the signals are blocked.
void begin_signals(int read_end, int write_end);
/// Changes both; does nothing for a descriptor below 0.
void set_signals(int read_end, int write_end, bool on);

}  // namespace supervisor
