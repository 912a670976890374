#include "stats/ranks/rank_ratio.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "stats/ranks/ranks.h"
#include "stats/ranks/wilcoxon.h"

namespace stats {

namespace {

bool all_positive(std::span<const double> values) {
  return !values.empty() && std::all_of(values.begin(), values.end(), [](double v) { return v > 0; });
}

/// The tests of t − ρ·c fall with ρ as those of a shift do.
std::optional<RankRatio> inverted(std::vector<double> places, double level,
                                  const std::function<std::optional<OneSided>(double ratio)>& test) {
  double largest = 0;
  for (const double place : places) {
    if (!std::isfinite(place)) return std::nullopt;
    largest = std::max(largest, std::abs(place));
  }
  RankRatio result;
  result.estimate = middle_place(places);
  result.interval = invert_rank_test(std::move(places), rank_tie(largest), level,
                                     [&](double ratio) { return test(ratio).value_or(OneSided{}); });
  return result;
}

}  // namespace

std::optional<RankRatio> signed_rank_ratio(std::span<const double> treatment, std::span<const double> control,
                                           double level) {
  if (treatment.size() != control.size() || !all_positive(control)) return std::nullopt;
  std::vector<double> places;
  places.reserve(treatment.size() * (treatment.size() + 1) / 2);
  for (std::size_t i = 0; i < treatment.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double both = control[i] / 2 + control[j] / 2;
      places.push_back((treatment[i] / 2 + treatment[j] / 2) / both);
    }
  std::vector<double> differences(treatment.size());
  return inverted(std::move(places), level, [&](double ratio) -> std::optional<OneSided> {
    double scale = 0;
    for (std::size_t i = 0; i < differences.size(); ++i) {
      differences[i] = treatment[i] - ratio * control[i];
      if (!std::isfinite(differences[i])) return std::nullopt;
      scale = std::max({scale, std::abs(treatment[i]), std::abs(ratio * control[i])});
    }
    return signed_rank_p(differences, rank_tie(scale));
  });
}

std::optional<RankRatio> mann_whitney_ratio(std::span<const double> treatment, std::span<const double> control,
                                            double level) {
  if (treatment.empty() || !all_positive(control)) return std::nullopt;
  std::vector<double> places;
  places.reserve(treatment.size() * control.size());
  for (const double t : treatment)
    for (const double c : control) places.push_back(t / c);
  std::vector<double> scaled(control.size());
  return inverted(std::move(places), level, [&](double ratio) -> std::optional<OneSided> {
    double scale = 0;
    for (std::size_t j = 0; j < scaled.size(); ++j) {
      scaled[j] = ratio * control[j];
      if (!std::isfinite(scaled[j])) return std::nullopt;
      scale = std::max(scale, std::abs(scaled[j]));
    }
    for (const double t : treatment) scale = std::max(scale, std::abs(t));
    return mann_whitney_p(treatment, scaled, rank_tie(scale));
  });
}

}  // namespace stats
