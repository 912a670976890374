#include "kernel/inference/verdict.h"

#include <algorithm>

namespace kernel {

Verdict verdict_of(const PValues& p, double step, double family) {
  if (p.outside <= step) return Verdict::supported;
  if (p.inside <= family || p.beyond <= family) return Verdict::refuted;
  return Verdict::inconclusive;
}

PValues in_every(std::span<const PValues> parts) {
  PValues all;
  if (parts.empty()) return all;
  const double count = static_cast<double>(parts.size());
  all.outside = 0;
  for (const PValues& part : parts) {
    all.outside = std::max(all.outside, part.outside);
    all.inside = std::min(all.inside, part.inside * count);
    all.beyond = std::min(all.beyond, part.beyond * count);
  }
  return all;
}

double deciding_level(Direction direction, Verdict verdict, double alpha) {
  if (direction == Direction::different) return 1 - alpha;
  if (direction == Direction::equal && verdict == Verdict::refuted) return 1 - alpha;
  return 1 - 2 * alpha;
}

}  // namespace kernel
