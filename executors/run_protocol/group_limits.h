#pragma once
// What the control groups around this process allow it: processors and memory, as containers, systemd and clusters
// limit them. Both versions of Linux's interface are read (cgroups(7)), at the places where distributions mount them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supervisor {

struct GroupLimits {
  std::optional<double> processors;          ///< The smallest quota of processor time, per second.
  std::optional<std::int64_t> memory_bytes;  ///< The smallest limit.
  std::vector<std::string> stat_files;       ///< Files with the throttled time of the groups that have a quota.
};

/// Of this process and of all groups above it that can be seen. Files that are absent or unreadable limit nothing.
/// `root`: a folder in place of `/`, for tests.
GroupLimits group_limits(const std::string& root = "");

/// Microseconds for which processes of the groups could have run and were not let, over all processors: the sum over
/// `stat_files`. The counters only grow.
std::int64_t throttled_us(const std::vector<std::string>& stat_files);

}  // namespace supervisor
