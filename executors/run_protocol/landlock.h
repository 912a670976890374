#pragma once
// Landlock by its numbers, which are the same on every architecture; many systems have older headers.
// See Documentation/userspace-api/landlock.rst of Linux.

#include <cstdint>

#include <sys/syscall.h>
#include <unistd.h>

namespace supervisor::landlock {

inline constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446;
inline constexpr unsigned version_flag = 1, path_beneath = 1;

struct Ruleset {
  std::uint64_t files = 0, network = 0, scopes = 0;
};
struct [[gnu::packed]] PathRule {
  std::uint64_t allowed;
  std::int32_t folder;
};

/// Rights on files.
inline constexpr std::uint64_t may_execute = 1 << 0, may_write = 1 << 1, may_read = 1 << 2, may_list = 1 << 3;
inline constexpr std::uint64_t all_of_version_1 = (1 << 13) - 1;
inline constexpr std::uint64_t may_link = 1 << 13;      ///< From version 2.
inline constexpr std::uint64_t may_truncate = 1 << 14;  ///< From version 3.
inline constexpr std::uint64_t may_control = 1 << 15;   ///< From version 5.
/// From version 6: sockets in memory, and signals to other processes.
inline constexpr std::uint64_t all_scopes = 3;

/// The version that this kernel has; 0 without Landlock, which exists from Linux 5.13.
inline int version() {
  const long found = syscall(create_ruleset, nullptr, 0, version_flag);
  return found > 0 ? static_cast<int>(found) : 0;
}

}  // namespace supervisor::landlock
