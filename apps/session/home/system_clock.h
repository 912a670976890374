#pragma once
// The machine's clocks.

#include "base/clock.h"

namespace session {

class SystemClock : public kernel::Clock {
 public:
  kernel::Time now() const override;
  std::string boot_id() const override;
};

}  // namespace session
