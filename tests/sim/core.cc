#include "tests/sim/core.h"

#include <algorithm>
#include <cstdio>

namespace sim {

bool Core::step() {
  if (pending_.empty()) return false;
  if (++steps_ > most_steps) broken("a study comes to its end", "after {} steps something still goes on", steps_);
  auto next = pending_.extract(pending_.begin());
  clock.uptime_ms = std::max(clock.uptime_ms, next.key().first);
  next.mapped()();
  return true;
}

void Core::write(std::string_view line) {
  for (const char c : line) digest_ = (digest_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  if (tracing_)
    std::printf("%6d %9lld  %.*s\n", steps_, static_cast<long long>(clock.uptime_ms), static_cast<int>(line.size()),
                line.data());
}

}  // namespace sim
