#include "stats/ranks/ranks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/assert.h"

namespace stats {

std::vector<std::int64_t> doubled_midranks(std::span<const double> values, double tie) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
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
  std::sort(places.begin(), places.end());
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
  Interval result;
  // The first gap that is not rejected from below …
  if (test(in_gap(0)).greater <= alpha) {
    std::size_t rejected = 0, kept = count;
    while (kept - rejected > 1) {
      const std::size_t middle = rejected + (kept - rejected) / 2;
      (test(in_gap(middle)).greater > alpha ? kept : rejected) = middle;
    }
    result.low = distinct[rejected];
  }
  // … and the last that is not rejected from above.
  if (test(in_gap(count)).less <= alpha) {
    std::size_t kept = 0, rejected = count;
    while (rejected - kept > 1) {
      const std::size_t middle = kept + (rejected - kept) / 2;
      (test(in_gap(middle)).less > alpha ? kept : rejected) = middle;
    }
    result.high = distinct[kept];
  }
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

}  // namespace stats
