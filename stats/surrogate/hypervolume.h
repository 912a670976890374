#pragma once
// Two responses at once, of which lower is better in both: which points no other beats, and the area that they dominate
// up to a reference point (Zitzler & Thiele, "Multiobjective evolutionary algorithms: a comparative case study and the
// strength Pareto approach", IEEE Transactions on Evolutionary Computation 3 (1999)). Pure.

#include <array>
#include <cstddef>
#include <vector>

#include "stats/surrogate/gaussian_process.h"

namespace stats {

using TwoValues = std::array<double, 2>;

/// The points that no other equals or beats in both values while beating it in one; each once, the lowest first value
/// first.
std::vector<TwoValues> front_of(std::vector<TwoValues>);

/// The area of all that lies below `reference` in both values and not below every point in one. Points that are not
/// below the reference in both values add nothing.
double hypervolume(const std::vector<TwoValues>& points, const TwoValues& reference);

/// Indices of up to `count` points, of which each adds most hypervolume to the points before it and to `held`; fewer if
/// no further one adds any (greedy selection: Guerreiro, Fonseca & Paquete, Evolutionary Computation 24 (2016); at
/// least 1 − 1/e of what the best such subset adds).
std::vector<std::size_t> widest(const std::vector<TwoValues>& points, const std::vector<TwoValues>& held,
                                const TwoValues& reference, std::size_t count);

/// Logarithm of the hypervolume that a point with two independent normal values is expected to add to a front. Exact
/// (Emmerich, Deutz & Klinkenberg, "Hypervolume-based expected improvement: monotonicity properties and exact
/// computation", IEEE CEC 2011): the area that no point of the front dominates is one strip for every gap between
/// their first values; in each, the point is expected to add a product of expected improvements. The sum is taken in
/// logarithms, so that it does not vanish far away. Both `sd` > 0.
double log_expected_hypervolume_improvement(const std::array<Predicted, 2>&, const std::vector<TwoValues>& points,
                                            const TwoValues& reference);

}  // namespace stats
