#pragma once
// Shows progress on a terminal: as a word of a status line, and as a line of its own that is removed again.

#include <chrono>
#include <cstdint>
#include <string>

namespace cli {

/// A bar of so many characters: `#####...............`.
std::string bar(std::uint64_t done, std::uint64_t all, std::size_t width = 20);

/// Shows the hashing of an artifact's files. Draws only on a terminal, and only if it takes longer than half a second.
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
