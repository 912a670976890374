#include "stats/ranks/wilcoxon.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include "stats/basics/distributions.h"
#include "stats/ranks/ranks.h"

namespace stats {

namespace {

std::vector<double> walsh_averages(std::span<const double> x) {
  std::vector<double> averages;
  averages.reserve(x.size() * (x.size() + 1) / 2);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) averages.push_back(x[i] / 2 + x[j] / 2);
  return averages;
}

std::vector<double> pairwise_differences(const MannWhitney& m) {
  std::vector<double> differences;
  differences.reserve(m.treatment.size() * m.control.size());
  for (const double t : m.treatment)
    for (const double c : m.control) differences.push_back(t - c);
  return differences;
}

bool all_positive(std::span<const double> values) {
  return !values.empty() && std::ranges::all_of(values, [](double v) { return v > 0; });
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

double far_end(FailedRank rank) {
  return (rank == FailedRank::lowest ? -1 : 1) * std::numeric_limits<double>::infinity();
}

/// factor·value − shift, infinite for those that failed. Empty where a value is not finite. Raises `scale` to the
/// largest.
std::vector<double> ranked(std::span<const std::optional<double>> values, FailedRank failed, double factor,
                           double shift, double& scale) {
  std::vector<double> out;
  for (const std::optional<double>& value : values) {
    const double moved = value ? factor * *value - shift : far_end(failed);
    if (value && !std::isfinite(moved)) return {};
    if (value) scale = std::max(scale, std::abs(factor * *value));
    out.push_back(moved);
  }
  return out;
}

}  // namespace

std::optional<SignedRank> signed_rank(std::span<const double> treatment, std::span<const double> control, double ratio,
                                      double shift) {
  if (treatment.size() != control.size() || treatment.empty()) return std::nullopt;
  SignedRank result;
  double scale = std::abs(shift);
  for (std::size_t i = 0; i < treatment.size(); ++i) {
    const double difference = treatment[i] - ratio * control[i] - shift;
    if (!std::isfinite(difference)) return std::nullopt;
    result.differences.push_back(difference);
    scale = std::max({scale, std::abs(treatment[i]), std::abs(ratio * control[i])});
  }
  result.tie = rank_tie(scale);
  result.estimate = middle_place(walsh_averages(result.differences));
  return result;
}

OneSided signed_rank_p(std::span<const double> differences, double tie) {
  std::vector<double> sizes;
  for (const double d : differences) sizes.push_back(std::abs(d) <= tie ? 0 : std::abs(d));
  const std::vector<std::int64_t> ranks = doubled_midranks(sizes, tie);
  std::vector<std::int64_t> nonzero;
  std::int64_t observed = 0;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) continue;
    nonzero.push_back(ranks[i]);
    if (differences[i] > 0) observed += ranks[i];
    sum += static_cast<double>(ranks[i]);
    squares += static_cast<double>(ranks[i]) * static_cast<double>(ranks[i]);
  }
  if (nonzero.empty()) return {};
  if (differences.size() <= signed_rank_exact) return sign_flip_tails(nonzero, observed);
  const double distance = static_cast<double>(observed) - sum / 2, spread = std::sqrt(squares) / 2;
  return {normal_cdf((distance + 1) / spread), normal_cdf((1 - distance) / spread)};  // 1: half a rank, doubled.
}

// With x = d − shift the sum of signed midranks is Σ sign(x_i + x_j) over i ≤ j (a zero adds nothing of its own:
// Pratt). Flip the signs of a set F: the sum changes by −2·sign(x_i + x_j) within F and by sign(x_i − x_j) − sign(x_i +
// x_j) across, and neither falls as the shift grows. So the share of flips that reach the observed sum never falls
// either.
OneSided p_at(const SignedRank& s, double at) {
  std::vector<double> moved(s.differences);
  for (double& d : moved) d -= at;
  return signed_rank_p(moved, std::max(s.tie, rank_tie(std::abs(at))));
}

Interval interval(const SignedRank& s, double level) {
  return invert_rank_test(walsh_averages(s.differences), s.tie, level, [&](double at) { return p_at(s, at); });
}

double smallest_signed_rank_p(std::size_t n) {
  std::vector<double> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<double>(i + 1);
  return signed_rank_p(all).greater;
}

std::optional<MannWhitney> mann_whitney(std::span<const double> treatment, std::span<const double> control,
                                        double ratio, double shift) {
  if (treatment.empty() || control.empty()) return std::nullopt;
  MannWhitney result;
  double scale = std::abs(shift);
  for (const double t : treatment) {
    result.treatment.push_back(t - shift);
    scale = std::max(scale, std::abs(t));
  }
  for (const double c : control) {
    result.control.push_back(ratio * c);
    scale = std::max(scale, std::abs(ratio * c));
  }
  const std::vector<double> differences = pairwise_differences(result);
  for (const double d : differences)
    if (!std::isfinite(d)) return std::nullopt;
  result.tie = rank_tie(scale);
  result.estimate = middle_place(differences);
  return result;
}

OneSided mann_whitney_p(std::span<const double> treatment, std::span<const double> control, double tie) {
  if (treatment.empty() || control.empty()) return {};
  std::vector<double> pooled(treatment.begin(), treatment.end());
  pooled.insert(pooled.end(), control.begin(), control.end());
  const std::vector<std::int64_t> ranks = doubled_midranks(pooled, tie);
  std::int64_t observed = 0;
  for (std::size_t i = 0; i < treatment.size(); ++i) observed += ranks[i];
  if (treatment.size() * control.size() <= mann_whitney_exact) return label_tails(ranks, treatment.size(), observed);
  const double t = static_cast<double>(treatment.size()), c = static_cast<double>(control.size()), n = t + c;
  double squares = 0;
  for (const std::int64_t rank : ranks) squares += std::pow(static_cast<double>(rank) - (n + 1), 2);
  if (squares == 0) return {};
  const double distance = static_cast<double>(observed) - t * (n + 1);
  const double spread = std::sqrt(t * c / (n * (n - 1)) * squares);
  return {normal_cdf((distance + 1) / spread), normal_cdf((1 - distance) / spread)};  // 1: half a rank, doubled.
}

// The statistic is Σ sign(t_i − shift − c_j). Exchange the labels of a set of treatments with as many controls: it
// changes by terms that do not depend on the shift and by −sign(t_i − shift − c_j) or sign(c_j − t_i + shift), which do
// not fall as the shift grows. So the share of relabellings that reach the observed statistic never falls either.
OneSided p_at(const MannWhitney& m, double at) {
  std::vector<double> moved(m.treatment);
  for (double& t : moved) t -= at;
  return mann_whitney_p(moved, m.control, std::max(m.tie, rank_tie(std::abs(at))));
}

Interval interval(const MannWhitney& m, double level) {
  return invert_rank_test(pairwise_differences(m), m.tie, level, [&](double at) { return p_at(m, at); });
}

double smallest_mann_whitney_p(std::size_t treatment, std::size_t control) {
  std::vector<double> t(treatment), c(control);
  for (std::size_t i = 0; i < control; ++i) c[i] = static_cast<double>(i);
  for (std::size_t i = 0; i < treatment; ++i) t[i] = static_cast<double>(control + i);
  return mann_whitney_p(t, c).greater;
}

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

std::optional<OneSided> worst_rank_independent(std::span<const std::optional<double>> treatment,
                                               std::span<const std::optional<double>> control,
                                               const FailedRanks& failed, double ratio, double shift) {
  double scale = std::abs(shift);
  const std::vector<double> t = ranked(treatment, failed.treatment, 1, shift, scale);
  const std::vector<double> c = ranked(control, failed.control, ratio, 0, scale);
  if (t.empty() || c.empty()) return std::nullopt;
  return mann_whitney_p(t, c, rank_tie(scale));
}

std::optional<OneSided> worst_rank_paired(std::span<const std::optional<double>> treatment,
                                          std::span<const std::optional<double>> control, const FailedRanks& failed,
                                          double ratio, double shift) {
  if (treatment.size() != control.size()) return std::nullopt;
  double scale = std::abs(shift);
  std::vector<double> t = ranked(treatment, failed.treatment, 1, shift, scale);
  const std::vector<double> c = ranked(control, failed.control, ratio, 0, scale);
  if (t.empty() || c.empty()) return std::nullopt;
  for (std::size_t i = 0; i < t.size(); ++i) {
    t[i] = t[i] == c[i] ? 0 : t[i] - c[i];  // Equal also where both are the same infinity.
    if (treatment[i] && control[i] && !std::isfinite(t[i])) return std::nullopt;
  }
  return signed_rank_p(t, rank_tie(scale));
}

}  // namespace stats
