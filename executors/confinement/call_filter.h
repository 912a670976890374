#pragma once
// The system calls that a job may not make: those on keys of the user, the machine's clock and the kernel itself, and
// in a sandbox also those on mounts, programs for the kernel and counters of the processor. Needs no C library, because
// the init of a sandbox uses it. On processors without a list of numbers nothing is filtered.

namespace supervisor {

enum class Walls {
  sandbox,
  none,     ///< Only the user's permissions. The job may use namespaces, so containers start in it.
  offline,  ///< As `none`, but no socket of a network is opened, the machine's own included.
};

/// From now on this process, its children and the programs that they execute get EPERM from these calls. A call in the
/// convention of another architecture (32-bit programs) kills the process. Set-user-ID programs get no other user.
/// Returns errno, or 0.
int filter_calls(Walls);

}  // namespace supervisor
