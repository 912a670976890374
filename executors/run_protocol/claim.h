#pragma once
// The fence of a run: at most one supervisor ever starts its job. A supervisor first makes the claim, which names it,
// and then holds the lock until its outcome is written. docs/run-folder.md shows that no order of crashes starts two
// jobs.

#include <string>
#include <string_view>

#include "executors/run_protocol/small_files.h"

namespace supervisor {

enum class Claiming { won, taken, failed };

/// Creates `claim` with this content; the process that creates it has won. For every reader the file appears complete.
Claiming claim(int folder, std::string_view content);
/// The content of a supervisor's claim: the token, and this process by number, start time and boot.
std::string own_claim(const std::string& token);
/// Adds the time of the job's launch.
bool add_started(int folder, long long started_ms);

/// The run's lock, held while the descriptor is open; empty if another process holds it for longer than `patience_ms`.
Fd take_lock(int folder, int patience_ms);

/// Field 22 of /proc/PID/stat, which with the boot id distinguishes processes of the same number. 0: it is gone,
/// or dead and not yet reaped.
long long start_time(int pid);
std::string boot_id();

}  // namespace supervisor
