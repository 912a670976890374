#include "stats/ranks/ranks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/assert.h"

namespace stats {

namespace {

/// The tails from the weights of the sums 0, 1, 2, …; the observed sum may lie outside this range.
OneSided weighted_tails(std::span<const double> weights, std::int64_t observed) {
  double below = 0, at = 0, above = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    const auto sum = static_cast<std::int64_t>(s);
    (sum < observed ? below : sum > observed ? above : at) += weights[s];
  }
  const double all = below + at + above;
  return {std::min(1.0, (below + at) / all), std::min(1.0, (above + at) / all)};
}

/// The greatest common divisor of the scores; 1 if all are 0. Doubled midranks without ties are multiples of 2.
std::int64_t common_step(std::span<const std::int64_t> scores) {
  std::int64_t step = 0;
  for (const std::int64_t score : scores) step = std::gcd(step, score);
  return std::max<std::int64_t>(step, 1);
}

}  // namespace

std::vector<std::int64_t> doubled_midranks(std::span<const double> values, double tie) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<std::int64_t> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    const auto value = [&](std::size_t place) { return values[order[place]]; };
    while (end < order.size() && (value(end) == value(end - 1) || value(end) - value(end - 1) <= tie)) ++end;
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = static_cast<std::int64_t>(first + end + 1);
    first = end;
  }
  return ranks;
}

Interval invert_rank_test(std::vector<double> places, double tie, double level,
                          const std::function<OneSided(double shift)>& test) {
  ETUDE_ASSERT(!places.empty());
  std::ranges::sort(places);
  // Places that only rounding holds apart are one; there is nothing between them to test at.
  std::vector<double> distinct{places.front()};
  for (const double place : places)
    if (place - distinct.back() > 4 * tie) distinct.push_back(place);
  const std::size_t count = distinct.size();
  const double first = distinct.front(), last = distinct.back();
  const double step = last > first ? last - first : std::max(std::abs(first), 1.0);
  // Gap k lies below place k; gap `count` above all.
  const auto in_gap = [&](std::size_t k) {
    if (k == 0) return first - step;
    return k == count ? last + step : distinct[k - 1] + (distinct[k] - distinct[k - 1]) / 2;
  };
  const double alpha = (1 - level) / 2;
  // The last place below which `turned` does not hold yet; it holds above all places.
  const auto last_before = [&](const auto& turned) {
    std::size_t lower = 0, upper = count;
    while (upper - lower > 1) {
      const std::size_t middle = lower + (upper - lower) / 2;
      (turned(test(in_gap(middle))) ? upper : lower) = middle;
    }
    return distinct[lower];
  };
  Interval result;
  // Up to the first gap that is not rejected from below, and to the last that is not rejected from above.
  if (test(in_gap(0)).greater <= alpha) result.low = last_before([&](const OneSided& p) { return p.greater > alpha; });
  if (test(in_gap(count)).less <= alpha) result.high = last_before([&](const OneSided& p) { return p.less <= alpha; });
  return result;
}

double middle_place(std::vector<double> places) {
  ETUDE_ASSERT(!places.empty());
  const auto middle = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
  std::nth_element(places.begin(), middle, places.end());
  if (places.size() % 2 == 1) return *middle;
  const double below = *std::max_element(places.begin(), middle);
  return below / 2 + *middle / 2;
}

double rank_tie(double scale) {
  return 4 * std::numeric_limits<double>::epsilon() * scale;
}

OneSided sign_flip_tails(std::span<const std::int64_t> scores, std::int64_t observed) {
  ETUDE_ASSERT(std::ranges::all_of(scores, [](std::int64_t score) { return score >= 0; }));
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
  std::ranges::sort(sorted);
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
