#include "stats/designs/block_means.h"

#include <algorithm>
#include <cmath>

namespace stats {

namespace {

constexpr int most_rounds = 2000;
/// The alternation ends when no mean moves by more than this share of the largest value.
constexpr double settled = 1e-12;

/// Sets each effect of one side to the mean of the values less the effects of the other side; the largest change.
double refit(const std::vector<BlockedValue>& values, std::size_t BlockedValue::*side, std::vector<double>& effects,
             std::size_t BlockedValue::*other_side, const std::vector<double>& others) {
  std::vector<double> sums(effects.size(), 0.0), counts(effects.size(), 0.0);
  for (const BlockedValue& v : values) {
    sums[v.*side] += v.value - others[v.*other_side];
    counts[v.*side] += 1;
  }
  double moved = 0;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (counts[i] == 0) continue;
    moved = std::max(moved, std::abs(sums[i] / counts[i] - effects[i]));
    effects[i] = sums[i] / counts[i];
  }
  return moved;
}

}  // namespace

std::vector<double> block_means(const std::vector<BlockedValue>& values) {
  std::size_t treatments = 0, blocks = 0;
  double largest = 0;
  for (const BlockedValue& v : values) {
    treatments = std::max(treatments, v.treatment + 1);
    blocks = std::max(blocks, v.block + 1);
    largest = std::max(largest, std::abs(v.value));
  }
  std::vector<double> of_treatments(treatments, 0.0), of_blocks(blocks, 0.0);
  for (int round = 0; round < most_rounds; ++round) {
    const double moved = refit(values, &BlockedValue::treatment, of_treatments, &BlockedValue::block, of_blocks);
    if (round > 0 && moved <= settled * largest) break;
    refit(values, &BlockedValue::block, of_blocks, &BlockedValue::treatment, of_treatments);
  }
  return of_treatments;
}

}  // namespace stats
