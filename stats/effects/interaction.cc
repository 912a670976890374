#include "stats/effects/interaction.h"

#include <algorithm>

namespace stats {

namespace {

bool usable_p(double p) {
  return p >= 0 && p <= 1;
}

bool usable_levels(std::span<const OneSided> levels) {
  return levels.size() >= 2 && std::ranges::all_of(levels, [](const OneSided& level) {
           return usable_p(level.less) && usable_p(level.greater);
         });
}

}  // namespace

std::optional<double> no_crossing(std::span<const OneSided> levels, Crossing crossing) {
  if (!usable_levels(levels)) return std::nullopt;
  const std::size_t count = levels.size();
  double best = 1, patterns = 0;
  for (std::size_t first = 0; first <= count; ++first) {
    if (crossing == Crossing::either && first != 0 && first != count) continue;
    double p = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool above = (i < first) != (crossing == Crossing::falling);
      p = std::max(p, above ? levels[i].greater : levels[i].less);
    }
    best = std::min(best, p);
    ++patterns;
  }
  return std::min(1.0, best * patterns);
}

std::optional<Crossover> crossover(std::span<const OneSided> levels, Crossing crossing) {
  if (!usable_levels(levels)) return std::nullopt;
  Crossover best{2, 0, 0};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    for (std::size_t j = 0; j < levels.size(); ++j) {
      if (i == j || (crossing == Crossing::rising && i > j) || (crossing == Crossing::falling && i < j)) continue;
      const double p = std::max(levels[i].less, levels[j].greater);
      if (p < best.p) best = {p, i, j};
    }
  }
  const std::size_t count = crossing == Crossing::either ? levels.size() : levels.size() - 1;
  best.p = std::min(1.0, best.p * static_cast<double>(count));
  return best;
}

}  // namespace stats
