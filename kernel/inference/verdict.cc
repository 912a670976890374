#include "kernel/inference/verdict.h"

#include <algorithm>

namespace kernel {

PValues by_rule(VerdictRule rule, const Hypothesis& h, PValues p) {
  if (rule == VerdictRule::one_interval) {
    if (!h.judges_relevance()) p.beyond = 1;
  } else if (h.direction == Direction::different) {
    p.inside = std::min(1.0, 2 * p.inside);
    p.beyond = std::min(1.0, 2 * p.beyond);
  }
  return p;
}

Verdict verdict_of(VerdictRule rule, const PValues& p, double step, double family) {
  if (p.outside <= step) return Verdict::supported;
  if (p.inside <= family) return Verdict::refuted;
  if (p.beyond <= family) return rule == VerdictRule::one_interval ? Verdict::no_relevant_effect : Verdict::refuted;
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

double interval_level(VerdictRule rule, Direction direction, Verdict verdict, double alpha) {
  const bool one_interval = rule == VerdictRule::one_interval, open = verdict == Verdict::inconclusive;
  bool whole = false;
  if (direction == Direction::different) whole = !one_interval || verdict == Verdict::supported || open;
  if (direction == Direction::equal) whole = verdict == Verdict::refuted || (one_interval && open);
  return 1 - (whole ? 1 : 2) * alpha;
}

}  // namespace kernel
