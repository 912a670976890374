#pragma once
// A clock that a test pushes on.

#include "kernel/clock.h"

namespace fakes {

class FakeClock : public kernel::Clock {
 public:
  kernel::Time now() const override { return {1'700'000'000'000 + boot_ms, boot_ms}; }
  std::string boot_id() const override { return boot; }

  std::int64_t boot_ms = 1000;
  std::string boot = "boot-1";
};

}  // namespace fakes
