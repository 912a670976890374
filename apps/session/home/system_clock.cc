#include "apps/session/home/system_clock.h"

#include <ctime>
#include <fstream>

namespace session {

namespace {
std::int64_t milliseconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1000 + t.tv_nsec / 1000000;
}
}  // namespace

kernel::Time SystemClock::now() const {
  return {milliseconds(CLOCK_REALTIME), milliseconds(CLOCK_BOOTTIME)};
}

std::string SystemClock::boot_id() const {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

}  // namespace session
