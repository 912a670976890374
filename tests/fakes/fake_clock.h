#pragma once
// A clock that a test pushes on.

#include "base/clock.h"

namespace fakes {

class FakeClock : public kernel::Clock {
 public:
  kernel::Time now() const override {
    boot_ms += tick_ms;
    return {1'700'000'000'000 + wall_jump_ms + boot_ms, boot_ms};
  }
  std::string boot_id() const override { return boot; }

  mutable std::int64_t boot_ms = 1000;
  std::int64_t wall_jump_ms = 0;  ///< How far somebody has set the wall clock.
  std::int64_t tick_ms = 0;       ///< What passes whenever somebody looks.
  std::string boot = "boot-1";
};

}  // namespace fakes
