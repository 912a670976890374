#pragma once
// The fence around a run: at most one supervisor ever starts its job. The claim comes first and says who made it, then
// the lock is held for life. docs/run-folder.md argues why no order of crashes lets two jobs start.

#include <string>
#include <string_view>

#include "executors/run_protocol/small_files.h"

namespace supervisor {

enum class Claiming { won, taken, failed };

/// Creates `claim` with this content; whoever creates it has won. Content and creation are one step for every reader.
Claiming claim(int folder, std::string_view content);
/// What a supervisor writes there: token, and this process by number, start time and boot.
std::string own_claim(const std::string& token);
/// Adds that the job has been launched.
bool add_started(int folder, long long started_ms);

/// The run's lock, held while the descriptor is open; empty when somebody else keeps it for longer than `patience_ms`.
Fd take_lock(int folder, int patience_ms);

/// Field 22 of /proc/PID/stat, which with the boot id tells a process from a later one of the same number; 0: gone,
/// or dead and not yet reaped.
long long start_time(int pid);
std::string boot_id();

}  // namespace supervisor
