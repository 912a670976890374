#include "stats/diagnostics/forecast_scores.h"

#include <numeric>
#include <stdexcept>
#include <vector>

#include "stats/effects/bootstrap.h"

namespace stats {

namespace {

constexpr int forecast_resamples = 10000;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<Interval> interval_of(const std::vector<double>& values, double level, std::uint64_t seed) {
  const std::vector<WeightedSample> samples = {{values, 1}};
  const std::optional<Bootstrap> replicates = bootstrap(samples, forecast_resamples, seed);
  return replicates ? std::optional(bca_interval(*replicates, level)) : std::nullopt;
}

}  // namespace

std::optional<ForecastScore> score_forecasts(std::span<const Forecast> forecasts, double level, std::uint64_t seed) {
  if (forecasts.empty()) return std::nullopt;
  std::vector<double> squares, differences;
  for (const Forecast& forecast : forecasts) {
    if (!(forecast.probability >= 0 && forecast.probability <= 1))
      throw std::invalid_argument("a probability lies between 0 and 1");
    differences.push_back(forecast.probability - (forecast.came_true ? 1 : 0));
    squares.push_back(differences.back() * differences.back());
  }
  ForecastScore score;
  score.n = static_cast<int>(forecasts.size());
  score.brier = mean_of(squares);
  score.gap = mean_of(differences);
  score.brier_interval = interval_of(squares, level, seed);
  score.gap_interval = interval_of(differences, level, seed);
  return score;
}

}  // namespace stats
