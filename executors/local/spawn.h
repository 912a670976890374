#pragma once
// Starts etude-supervisor as a process of its own session, with nothing of ours but one descriptor.

#include <string>
#include <vector>

namespace executors {

/// As which it finds the descriptor.
inline constexpr int inherited_descriptor = 3;

/// Its number; -1 with `error` (errno). SIGTERM is held back until it listens.
int spawn_supervisor(const std::string& program, const std::vector<std::string>& words, int descriptor, int& error);

}  // namespace executors
