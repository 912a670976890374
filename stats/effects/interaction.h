#pragma once
// Crossing effects, whose sign changes from one level of a factor to another. Pure; any thread.

#include <cstddef>
#include <optional>
#include <span>

#include "stats/basics/contrast.h"

namespace stats {

enum class Crossing {
  rising,   ///< Negative at some level and positive at a later one.
  falling,  ///< Positive at some level and negative at a later one.
  either,
};

struct Crossover {
  double p = 1;
  std::size_t negative = 0, positive = 0;  ///< The pair of levels that carries it.
};

/// p of "the effect is below 0 at one level and above 0 at another" from each level's one-sided p against 0, levels in
/// their order. For one pair of levels (i, j) it is the intersection–union test max(less_i, greater_j): Berger,
/// "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24 (1982); the best pair counts,
/// corrected by Bonferroni. rising, falling: (L − 1)·min over ordered pairs. "No crossing" is a union over levels k:
/// effects before k are not below 0, those after k not above; each has L − 1 one-sided hypotheses, and the largest over
/// k of their Bonferroni p is (L − 1)·min over i before j of max(less_i, greater_j). Two levels need no correction.
/// either: L·min over all pairs. "No crossing" is then "all not below 0" or "all not above 0", with L hypotheses each
/// (Gail & Simon, "Testing for qualitative interactions", Biometrics 41 (1985), take their likelihood ratio instead).
/// Valid whatever the dependence between the levels. None unless there are two levels and every p is in [0, 1].
std::optional<Crossover> crossover(std::span<const OneSided> levels, Crossing);

/// p of the opposite, "the effect's sign does not change so". Without a rising crossing, the effects are above 0 up to
/// some level and below it from there on (L + 1 places for that; falling: mirrored). Without either crossing, all are
/// above or all are below. Each such pattern is an intersection–union test over all levels; the best one counts,
/// corrected by Bonferroni for their number. None as above.
std::optional<double> no_crossing(std::span<const OneSided> levels, Crossing);

}  // namespace stats
