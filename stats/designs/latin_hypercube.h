#pragma once
// Points spread over the unit cube. Pure; the same seed always gives the same points.

#include <cstdint>
#include <vector>

namespace stats {

/// Latin hypercube sampling (McKay, Beckman & Conover, Technometrics 21, 1979): along every axis each of `points`
/// equally wide strata holds exactly one point, uniform within it. Of `tries` such samples the one whose two closest
/// points lie farthest apart (maximin: Johnson, Moore & Ylvisaker, J. Stat. Plan. Inference 26, 1990).
std::vector<std::vector<double>> latin_hypercube(int points, int axes, std::uint64_t seed, int tries);

}  // namespace stats
