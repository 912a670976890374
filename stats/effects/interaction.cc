#include "stats/effects/interaction.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stats {

namespace {

/// Below this an error is what rounding left, as in the contrasts of two arms.
std::optional<Contrast> settled(Contrast c, double scale) {
  const double least = 4 * std::numeric_limits<double>::epsilon() * scale;
  if (c.standard_error == 0 && std::abs(c.estimate) <= least) c.estimate = 0;
  if (!std::isfinite(c.estimate) || !std::isfinite(c.standard_error) || !(c.df > 0)) return std::nullopt;
  return c;
}

bool usable_p(double p) {
  return p >= 0 && p <= 1;
}

}  // namespace

std::optional<Contrast> weighted_contrast(std::span<const WeightedCell> cells, double shift) {
  Contrast c{-shift, 0, 0};
  double variance = 0, scale = std::abs(shift), unvaried_df = 0;
  for (const auto& [cell, weight] : cells) {
    if (!std::isfinite(weight)) return std::nullopt;
    if (weight == 0) continue;
    if (cell.n < 2) return std::nullopt;
    c.estimate += weight * cell.mean;
    variance += weight * weight * cell.variance / static_cast<double>(cell.n);
    scale = std::max(scale, std::abs(weight * cell.mean));
    unvaried_df += static_cast<double>(cell.n - 1);
  }
  double inverse = 0;
  for (const auto& [cell, weight] : cells) {
    if (weight == 0 || variance == 0) continue;
    const double part = weight * weight * cell.variance / static_cast<double>(cell.n) / variance;
    inverse += part * part / static_cast<double>(cell.n - 1);
  }
  c.standard_error = std::sqrt(variance);
  c.df = variance > 0 ? 1 / inverse : unvaried_df;
  return settled(c, scale);
}

std::optional<Contrast> weighted_paired_contrast(std::span<const std::vector<double>> cells,
                                                 std::span<const double> weights, double shift) {
  if (cells.empty() || cells.size() != weights.size()) return std::nullopt;
  if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; })) return std::nullopt;
  std::vector<double> sums(cells.front().size(), 0.0);
  double scale = std::abs(shift);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (cells[k].size() != sums.size()) return std::nullopt;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += weights[k] * cells[k][i];
      scale = std::max(scale, std::abs(weights[k] * cells[k][i]));
    }
  }
  const std::optional<Moments> m = moments(sums);
  if (!m) return std::nullopt;
  const double n = static_cast<double>(m->n);
  const double left = 4 * std::numeric_limits<double>::epsilon() * scale;
  const double sd = std::sqrt(m->variance) <= left ? 0 : std::sqrt(m->variance);
  return settled({m->mean - shift, sd / std::sqrt(n), n - 1}, scale);
}

namespace {

bool usable_levels(std::span<const OneSided> levels) {
  return levels.size() >= 2 && std::all_of(levels.begin(), levels.end(), [](const OneSided& level) {
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
