#pragma once
// Starts etude-supervisor as a process in its own session. It inherits only one descriptor.

#include <string>
#include <vector>

namespace executors {

/// Number of that descriptor in the new process.
inline constexpr int inherited_descriptor = 3;

/// The process number; -1 with `error` (errno). SIGTERM is blocked until the supervisor handles it.
int spawn_supervisor(const std::string& program, const std::vector<std::string>& words, int descriptor, int& error);

}  // namespace executors
