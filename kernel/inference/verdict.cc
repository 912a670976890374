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

Hypothesis at_one_level(const Hypothesis& crossover, Direction direction) {
  Hypothesis part = crossover;
  part.kind = HypothesisKind::compare;
  part.direction = direction;
  part.margin.reset();
  part.along.clear();
  part.steps.clear();
  return part;
}

double crossover_pairs(const Hypothesis& h) {
  const auto levels = static_cast<double>(h.steps.size());
  return h.direction == Direction::different ? levels : levels - 1;
}

std::optional<CrossoverPValues> crossover_p_values(const Hypothesis& h, std::span<const stats::OneSided> levels) {
  const stats::Crossing crossing = h.direction == Direction::different ? stats::Crossing::either
                                   : h.direction == Direction::less    ? stats::Crossing::rising
                                                                       : stats::Crossing::falling;
  const auto found = stats::crossover(levels, crossing);
  const auto none = stats::no_crossing(levels, crossing);
  if (!found || !none) return std::nullopt;
  return CrossoverPValues{{found->p, *none, 1}, *found};
}

double deciding_level(Direction direction, Verdict verdict, double alpha) {
  if (direction == Direction::different) return 1 - alpha;
  if (direction == Direction::equal && verdict == Verdict::refuted) return 1 - alpha;
  return 1 - 2 * alpha;
}

}  // namespace kernel
