#include "stats/designs/latin_hypercube.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/assert.h"
#include "stats/basics/random.h"

namespace stats {

namespace {

using Points = std::vector<std::vector<double>>;

Points sample(int points, int axes, Xoshiro& random) {
  Points sampled(static_cast<std::size_t>(points), std::vector<double>(static_cast<std::size_t>(axes)));
  std::vector<std::uint32_t> strata(static_cast<std::size_t>(points));
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes); ++axis) {
    std::iota(strata.begin(), strata.end(), 0u);
    for (std::size_t i = strata.size(); i > 1; --i)
      std::swap(strata[i - 1], strata[random.below(static_cast<std::uint32_t>(i))]);
    for (std::size_t i = 0; i < sampled.size(); ++i) sampled[i][axis] = (strata[i] + random.uniform()) / points;
  }
  return sampled;
}

double closest(const Points& points) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      double distance = 0;
      for (std::size_t axis = 0; axis < points[i].size(); ++axis)
        distance += (points[i][axis] - points[j][axis]) * (points[i][axis] - points[j][axis]);
      least = std::min(least, distance);
    }
  return least;
}

}  // namespace

Points latin_hypercube(int points, int axes, std::uint64_t seed, int tries) {
  ETUDE_ASSERT(points >= 0 && axes >= 0);
  Xoshiro random(seed);
  Points best = sample(points, axes, random);
  double apart = closest(best);
  for (int i = 1; i < tries; ++i) {
    Points other = sample(points, axes, random);
    const double distance = closest(other);
    if (distance <= apart) continue;
    apart = distance;
    best = std::move(other);
  }
  return best;
}

}  // namespace stats
