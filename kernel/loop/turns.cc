#include "kernel/loop/turns.h"

#include <algorithm>
#include <tuple>

namespace kernel {

std::int64_t urgency_of(int priority, std::int64_t waited_ms) {
  return priority + std::max<std::int64_t>(waited_ms, 0) / priority_step_ms;
}

bool goes_before(const Turn& a, const Turn& b) {
  if (a.urgency != b.urgency) return a.urgency > b.urgency;
  if (a.aged != b.aged) return a.aged;
  if (a.aged && a.waiting_since_ms != b.waiting_since_ms) return a.waiting_since_ms < b.waiting_since_ms;
  const auto rank = [](const Turn& turn) {
    // Ids count up: s2 is older than s10.
    return std::tuple(turn.gpus, turn.cpus, turn.expected_s.value_or(0), turn.study.size(), turn.study);
  };
  return rank(a) < rank(b);
}

}  // namespace kernel
