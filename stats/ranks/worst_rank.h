#pragma once
// Rank tests in which failed runs count, at one end of the ranking. They give only p-values, because there is no number
// to estimate. Pure; any thread.

#include <optional>
#include <span>

#include "stats/basics/contrast.h"

namespace stats {

/// Where missing values rank: tied with each other, beyond every value.
enum class FailedRank { lowest, highest };

/// Where the failed runs of each arm rank. They can be bad outcomes in both arms (`highest` for a metric that is to be
/// small). In the strictest form they speak against the hypothesis in both ("the treatment is less": treatment
/// `highest`, control `lowest`). Lachin, "Worst-rank score analysis with informatively missing observations in clinical
/// trials", Control. Clin. Trials 20 (1999).
struct FailedRanks {
  FailedRank treatment = FailedRank::highest, control = FailedRank::highest;
};

/// `mann_whitney_p` of t − shift and ratio·c, missing values being failed runs. None where an arm has no runs or a
/// value is not finite.
std::optional<OneSided> worst_rank_independent(std::span<const std::optional<double>> treatment,
                                               std::span<const std::optional<double>> control, const FailedRanks&,
                                               double ratio = 1, double shift = 0);
/// `signed_rank_p` of t − ratio·c − shift. A pair of which one failed has a difference beyond all others; one of which
/// both failed at the same end has none (0). None unless n ≥ 1 pairs, or where a value is not finite.
std::optional<OneSided> worst_rank_paired(std::span<const std::optional<double>> treatment,
                                          std::span<const std::optional<double>> control, const FailedRanks&,
                                          double ratio = 1, double shift = 0);

}  // namespace stats
