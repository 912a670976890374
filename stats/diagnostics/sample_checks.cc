#include "stats/diagnostics/sample_checks.h"

#include <algorithm>
#include <cmath>

#include "stats/basics/descriptive.h"
#include "stats/basics/distributions.h"

namespace stats {

namespace {

constexpr std::size_t runs_exact = 200, tau_exact = 50;

double binomial(std::size_t n, std::size_t k) {
  if (k > n) return 0;
  double result = 1;
  for (std::size_t i = 1; i <= k; ++i) result *= static_cast<double>(n - k + i) / static_cast<double>(i);
  return result;
}

OneSided exact_runs(std::size_t below, std::size_t above, std::size_t runs) {
  OneSided p{0, 0};
  const double all = binomial(below + above, below);
  for (std::size_t r = 2; r <= below + above; ++r) {
    const std::size_t half = r / 2;  // Compositions of each side into so many runs.
    double ways = 2 * binomial(below - 1, half - 1) * binomial(above - 1, half - 1);
    if (r % 2 == 1)
      ways = binomial(below - 1, half) * binomial(above - 1, half - 1) +
             binomial(below - 1, half - 1) * binomial(above - 1, half);
    if (r <= runs) p.less += ways / all;
    if (r >= runs) p.greater += ways / all;
  }
  return {std::min(1.0, p.less), std::min(1.0, p.greater)};
}

/// Of the number of inversions among n values in random order.
OneSided exact_inversions(std::size_t n, std::size_t observed) {
  std::vector<double> chance{1};
  for (std::size_t i = 2; i <= n; ++i) {
    std::vector<double> next(chance.size() + i - 1);
    for (std::size_t s = 0; s < chance.size(); ++s)
      for (std::size_t more = 0; more < i; ++more) next[s + more] += chance[s] / static_cast<double>(i);
    chance = std::move(next);
  }
  OneSided p{0, 0};
  for (std::size_t s = 0; s < chance.size(); ++s) {
    if (s >= observed) p.less += chance[s];
    if (s <= observed) p.greater += chance[s];
  }
  return {std::min(1.0, p.less), std::min(1.0, p.greater)};
}

}  // namespace

std::optional<RunsTest> runs_test(std::span<const double> in_order) {
  const std::optional<double> middle = median(in_order);
  if (!middle) return std::nullopt;
  RunsTest test;
  double last = 0;
  for (const double v : in_order) {
    if (v == *middle) continue;
    const double side = v > *middle ? 1 : -1;
    ++(side > 0 ? test.above : test.below);
    if (side != last) ++test.runs;
    last = side;
  }
  if (test.below == 0 || test.above == 0) return std::nullopt;
  const std::size_t size = test.below + test.above;
  if (size <= runs_exact) {
    test.p = exact_runs(test.below, test.above, test.runs);
    return test;
  }
  const double n = static_cast<double>(size),
               twice = 2 * static_cast<double>(test.below) * static_cast<double>(test.above);
  const double distance = static_cast<double>(test.runs) - (twice / n + 1);
  const double sd = std::sqrt(twice / n * ((twice - n) / n) / (n - 1));
  if (sd > 0) test.p = {normal_cdf((distance + 0.5) / sd), normal_cdf((0.5 - distance) / sd)};
  return test;
}

std::optional<OrderCorrelation> order_correlation(std::span<const double> in_order) {
  const std::size_t size = in_order.size();
  if (size < 2 || !mean(in_order)) return std::nullopt;
  std::size_t rises = 0, falls = 0;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      rises += in_order[i] > in_order[j] ? 1 : 0;
      falls += in_order[i] < in_order[j] ? 1 : 0;
    }
  if (rises + falls == 0) return std::nullopt;
  const double n = static_cast<double>(size), pairs = n * (n - 1) / 2, untied = static_cast<double>(rises + falls);
  const double sum = static_cast<double>(rises) - static_cast<double>(falls);
  OrderCorrelation result{std::clamp(sum / std::sqrt(pairs * untied), -1.0, 1.0), {}};
  if (size <= tau_exact && rises + falls == size * (size - 1) / 2) {
    result.p = exact_inversions(size, falls);
    return result;
  }
  std::vector<double> sorted(in_order.begin(), in_order.end());
  std::ranges::sort(sorted);
  double weight = n * (n - 1) * (2 * n + 5);
  for (std::size_t first = 0, end = 0; first < size; first = end) {
    while (end < size && sorted[end] == sorted[first]) ++end;
    const double ties = static_cast<double>(end - first);
    weight -= ties * (ties - 1) * (2 * ties + 5);
  }
  const double sd = std::sqrt(weight / 18);
  result.p = {normal_cdf(sum / sd), normal_cdf(-sum / sd)};
  return result;
}

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
