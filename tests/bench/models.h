#pragma once
// What both benches of models measure by.

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

namespace bench {

using Clock = std::chrono::steady_clock;

inline double milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

/// Of this process: what a shared machine does not stretch.
inline double cpu_milliseconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

/// Of this process, by a line of /proc/self/status.
inline double megabytes(const char* what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(what)) return std::strtod(line.c_str() + 6, nullptr) * 1024 / 1e6;
  return 0;
}

/// So many answers at once, each of 8 KB in 256 pieces to a request of 100 KB: how many came whole, seconds, CPU
/// seconds, memory before and at most.
nlohmann::json measure_streams(int count);

}  // namespace bench
