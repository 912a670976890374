#include "kernel/loop/turns.h"

#include <tuple>

namespace kernel {

bool goes_before(const Turn& a, const Turn& b) {
  if (a.aged != b.aged) return a.aged;
  if (a.aged && a.waiting_since_ms != b.waiting_since_ms) return a.waiting_since_ms < b.waiting_since_ms;
  const auto rank = [](const Turn& turn) {
    // Ids count up: s2 is older than s10.
    return std::tuple(turn.gpus, turn.cpus, turn.expected_s.value_or(0), turn.study.size(), turn.study);
  };
  return rank(a) < rank(b);
}

}  // namespace kernel
