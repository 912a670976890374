#pragma once
// Time as a value. Wall time is for display; time-outs and budgets use the boot clock, which no one can set.

#include <cstdint>
#include <string>

namespace kernel {

struct Time {
  std::int64_t wall_ms = 0;  ///< Milliseconds since the Unix epoch, UTC.
  std::int64_t boot_ms = 0;  ///< CLOCK_BOOTTIME; comparable only within one boot.
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
  virtual std::string boot_id() const = 0;
};

/// `2026-03-01T12:00:00.250Z`
std::string iso8601(std::int64_t wall_ms);

}  // namespace kernel
