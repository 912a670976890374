#pragma once
// The machine's clocks.

#include <ctime>
#include <fstream>

#include "base/clock.h"

namespace session {

class SystemClock : public kernel::Clock {
 public:
  kernel::Time now() const override { return {milliseconds(CLOCK_REALTIME), milliseconds(CLOCK_BOOTTIME)}; }
  std::string boot_id() const override {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(file, id);
    return id;
  }

 private:
  static std::int64_t milliseconds(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<std::int64_t>(t.tv_sec) * 1000 + t.tv_nsec / 1000000;
  }
};

}  // namespace session
