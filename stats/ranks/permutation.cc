#include "stats/ranks/permutation.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/assert.h"

namespace stats {

namespace {

/// Of the weights of the sums 0, 1, 2, …; the observed one may lie outside.
OneSided weighted_tails(std::span<const double> weights, std::int64_t observed) {
  double below = 0, at = 0, above = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    const auto sum = static_cast<std::int64_t>(s);
    (sum < observed ? below : sum > observed ? above : at) += weights[s];
  }
  const double all = below + at + above;
  return {std::min(1.0, (below + at) / all), std::min(1.0, (above + at) / all)};
}

/// What all scores are multiples of; 1 where all are 0. Midranks without ties are twice whole numbers.
std::int64_t common_step(std::span<const std::int64_t> scores) {
  std::int64_t step = 0;
  for (const std::int64_t score : scores) step = std::gcd(step, score);
  return std::max<std::int64_t>(step, 1);
}

}  // namespace

OneSided sign_flip_tails(std::span<const std::int64_t> scores, std::int64_t observed) {
  ETUDE_ASSERT(std::all_of(scores.begin(), scores.end(), [](std::int64_t score) { return score >= 0; }));
  const std::int64_t step = common_step(scores);
  const std::int64_t total = std::accumulate(scores.begin(), scores.end(), std::int64_t{0}) / step;
  std::vector<double> chance(static_cast<std::size_t>(total) + 1);
  chance[0] = 1;
  std::size_t reach = 0;
  for (const std::int64_t score : scores) {
    const auto jump = static_cast<std::size_t>(score / step);
    reach += jump;
    for (std::size_t s = reach + 1; s-- > 0;) chance[s] = (chance[s] + (s >= jump ? chance[s - jump] : 0)) / 2;
  }
  return weighted_tails(chance, observed / step);
}

OneSided label_tails(std::span<const std::int64_t> scores, std::size_t chosen, std::int64_t observed) {
  ETUDE_ASSERT(chosen <= scores.size());
  if (scores.empty() || chosen == 0) return {};
  if (2 * chosen > scores.size()) {  // The others are fewer.
    const std::int64_t all = std::accumulate(scores.begin(), scores.end(), std::int64_t{0});
    const OneSided others = label_tails(scores, scores.size() - chosen, all - observed);
    return {others.greater, others.less};
  }
  std::vector<std::int64_t> sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end());
  const std::int64_t least = sorted.front();
  for (std::int64_t& score : sorted) score -= least;
  const std::int64_t step = common_step(sorted);
  for (std::int64_t& score : sorted) score /= step;
  std::vector<std::size_t> below{0};  // Sums of the smallest.
  for (const std::int64_t score : sorted) below.push_back(below.back() + static_cast<std::size_t>(score));
  const std::size_t width = below.back() - below[sorted.size() - chosen] + 1;
  // ways[k·width + s]: how many sets of k have sum s.
  std::vector<double> ways((chosen + 1) * width);
  ways[0] = 1;
  for (std::size_t seen = 1; seen <= sorted.size(); ++seen) {
    const std::size_t jump = below[seen] - below[seen - 1];
    for (std::size_t k = std::min(seen, chosen); k > 0; --k) {
      double* const to = &ways[k * width];
      const double* const from = &ways[(k - 1) * width];
      const std::size_t largest_sum = below[seen] - below[seen - k];
      for (std::size_t s = std::max(jump, below[k]); s <= largest_sum; ++s) to[s] += from[s - jump];
    }
  }
  const std::int64_t at = (observed - least * static_cast<std::int64_t>(chosen)) / step;
  return weighted_tails(std::span(ways).subspan(chosen * width), at);
}

}  // namespace stats
