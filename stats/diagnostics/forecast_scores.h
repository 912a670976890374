#pragma once
// Scores of probabilities that were given before the outcomes were known. Pure; any thread.

#include <cstdint>
#include <optional>
#include <span>

#include "stats/basics/contrast.h"

namespace stats {

struct Forecast {
  double probability = 0;  ///< In [0, 1].
  bool came_true = false;
};

struct ForecastScore {
  int n = 0;
  double brier = 0;  ///< Mean of (p − o)²; 0 is perfect, 0.25 is what a constant ½ gets.
  /// Calibration error in the large: mean p − share of outcomes that came true; above 0 means too confident.
  double gap = 0;
  std::optional<Interval> brier_interval, gap_interval;  ///< BCa; none where all of them are alike.
};

/// Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78 (1950); calibration
/// in the large: Dawid, "The well-calibrated Bayesian", J. Am. Stat. Assoc. 77 (1982). None without forecasts.
/// Throws std::invalid_argument for a probability outside [0, 1].
std::optional<ForecastScore> score_forecasts(std::span<const Forecast>, double level, std::uint64_t seed);

}  // namespace stats
