#pragma once
// How far something has come, on a terminal: as a word of a status line, and as a line of its own that goes away again.

#include <chrono>
#include <cstdint>
#include <string>

namespace cli {

/// The first so many of twenty: `#####...............`.
std::string bar(std::uint64_t done, std::uint64_t all);

/// Of the hashing of an artifact's files. Draws only on a terminal, and only for what takes longer than half a second.
/// One thread.
class HashBar {
 public:
  ~HashBar();
  void show(std::uint64_t done, std::uint64_t all);

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(500);
  bool shown_ = false;
};

}  // namespace cli
