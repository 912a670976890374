#pragma once
// The factor between two arms by the rank tests: the ratios ρ at which t − ρ·c is centred on zero, or at which t and
// ρ·c are alike. Needs controls above zero, for which these differences fall with ρ. Pure; any thread.

#include <optional>
#include <span>

#include "stats/basics/contrast.h"

namespace stats {

struct RankRatio {
  double estimate = 0;
  Interval interval;
};

/// For pairs: the estimate is the median of the (t_i + t_j)/(c_i + c_j), i ≤ j, at which Walsh averages of t − ρ·c
/// change sign (Hodges & Lehmann's estimate on the ratio's scale). The interval has the ratios that `signed_rank_p`
/// does not reject at 1 − level, closed; with ties its ends may be off by one value. None unless n ≥ 1 pairs with c >
/// 0.
std::optional<RankRatio> signed_rank_ratio(std::span<const double> treatment, std::span<const double> control,
                                           double level);
/// Of independent samples: median of the t_i/c_j, and the ratios that `mann_whitney_p` does not reject. None unless
/// both have a value and c > 0.
std::optional<RankRatio> mann_whitney_ratio(std::span<const double> treatment, std::span<const double> control,
                                            double level);

}  // namespace stats
