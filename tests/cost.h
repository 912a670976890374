#pragma once
// What work costs, in terms that hold on a slow and busy machine as well: how its processor time grows with the size of
// its input, and how many bytes it reads. No test compares a time with a number of seconds.

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>

namespace tests {

/// Processor seconds that this process has used.
inline double processor_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

/// Processor seconds of one call. Short work is repeated until the clock's steps and stray delays no longer count.
template <typename Work>
double cost(const Work& work) {
  constexpr double long_enough = 0.01;
  const double start = processor_seconds();
  double used = 0;
  int calls = 0;
  while (used < long_enough) {
    work();
    ++calls;
    used = processor_seconds() - start;
  }
  return used / calls;
}

/// The bound for `growth`: linear work comes to about 4, quadratic work to about 16.
inline constexpr double linear = 10;

/// The processor time of `work(make(4 * size))`, divided by that of `work(make(size))`. The least of a few rounds
/// counts for each, since other processes on the machine can only make them longer.
template <typename Size, typename Make, typename Work>
double growth(Size size, const Make& make, const Work& work) {
  const auto small = make(size), large = make(4 * size);
  double of_small = std::numeric_limits<double>::max(), of_large = of_small;
  for (int round = 0; round < 5; ++round) {
    of_small = std::min(of_small, cost([&] { work(small); }));
    of_large = std::min(of_large, cost([&] { work(large); }));
    if (of_large < linear * of_small) break;
  }
  return of_large / of_small;
}

/// Bytes that this process has read so far, whether from files, pipes or memory of the system.
inline std::int64_t bytes_read() {
  std::ifstream counters("/proc/self/io");
  std::string name;
  std::int64_t bytes = -1;
  while (counters >> name >> bytes)
    if (name == "rchar:") return bytes;
  return -1;
}

/// The most memory that was resident during `work`, less what was before it, in bytes. Linux can forget a process's
/// peak (proc(5), clear_refs).
template <typename Work>
std::int64_t memory_taken(const Work& work) {
  const auto kilobytes = [](const std::string& field) {
    std::ifstream status("/proc/self/status");
    std::string name;
    for (std::int64_t value = 0; status >> name; status.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
      if (name == field && status >> value) return value;
    return std::int64_t{-1};
  };
  std::ofstream("/proc/self/clear_refs") << "5";
  const std::int64_t before = kilobytes("VmRSS:");
  work();
  return 1024 * (kilobytes("VmHWM:") - before);
}

}  // namespace tests
