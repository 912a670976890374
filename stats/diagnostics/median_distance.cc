#include "stats/diagnostics/median_distance.h"

#include <cmath>

#include "stats/basics/descriptive.h"

namespace stats {

std::optional<std::vector<double>> modified_z_scores(std::span<const double> values) {
  const std::optional<double> centre = median(values);
  if (!centre) return std::nullopt;
  std::vector<double> deviations;
  for (const double v : values) deviations.push_back(std::abs(v - *centre));
  const std::optional<double> middle = median(deviations), average = mean(deviations);
  if (!middle || !average || *average == 0) return std::nullopt;
  const double unit = *middle > 0 ? *middle / 0.6745 : 1.253314 * *average;
  std::vector<double> scores;
  for (const double v : values) scores.push_back((v - *centre) / unit);
  return scores;
}

}  // namespace stats
