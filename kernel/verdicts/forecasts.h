#pragma once
// Compares the confidence that each role stated in its hypotheses with the verdicts. Pure.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace kernel {

/// A hypothesis that a role proposed with a confidence, and that was supported or refuted.
struct RoleForecast {
  std::string role;
  double confidence = 0;
  bool supported = false;
};

/// A list of {"role", "n", "brier", "brier_interval": [low, high] | null, "gap", "gap_interval"}, by role; the
/// intervals are at 95 %, see stats/diagnostics/forecast_scores.h.
nlohmann::json forecasts_shape(const std::vector<RoleForecast>&);

/// One of them, for people: "12 forecasts, Brier score 0.18 [0.09, 0.31], 0.12 [0.01, 0.25] too confident".
std::string forecast_words(const nlohmann::json& role);

}  // namespace kernel
