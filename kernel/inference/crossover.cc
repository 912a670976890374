#include "kernel/inference/crossover.h"

namespace kernel {

namespace {

stats::Crossing crossing_of(Direction direction) {
  if (direction == Direction::different) return stats::Crossing::either;
  return direction == Direction::less ? stats::Crossing::rising : stats::Crossing::falling;
}

}  // namespace

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
  const stats::Crossing crossing = crossing_of(h.direction);
  const auto found = stats::crossover(levels, crossing);
  const auto none = stats::no_crossing(levels, crossing);
  if (!found || !none) return std::nullopt;
  return CrossoverPValues{{found->p, *none, 1}, *found};
}

}  // namespace kernel
