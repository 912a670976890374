#include "stats/ranks/censored.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stats/basics/distributions.h"
#include "stats/ranks/mann_whitney.h"
#include "stats/ranks/permutation.h"
#include "stats/ranks/signed_rank.h"

namespace stats {

namespace {

bool never_ended(const Duration& d) {
  return d.time == HUGE_VAL;
}

bool surely_later(const Duration& a, const Duration& b) {
  if (never_ended(a) || never_ended(b)) return never_ended(a) && !never_ended(b);
  return !b.censored && (a.time > b.time || (a.time == b.time && a.censored));
}

/// Both arms, the treatment first; empty if there is no answer.
std::vector<Duration> pooled(std::span<const Duration> treatment, std::span<const Duration> control) {
  if (treatment.empty() || control.empty()) return {};
  std::vector<Duration> all(treatment.begin(), treatment.end());
  all.insert(all.end(), control.begin(), control.end());
  for (const Duration& d : all)
    if (std::isnan(d.time)) return {};
  return all;
}

std::vector<std::int64_t> gehan_scores(const std::vector<Duration>& all) {
  std::vector<std::int64_t> scores(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const Duration& other : all) scores[i] += surely_later(all[i], other) - surely_later(other, all[i]);
  return scores;
}

OneSided normal_tails(double distance, double correction, double spread) {
  if (!(spread > 0)) return {};
  return {normal_cdf((distance + correction) / spread), normal_cdf((correction - distance) / spread)};
}

}  // namespace

std::optional<OneSided> gehan(std::span<const Duration> treatment, std::span<const Duration> control) {
  const std::vector<Duration> all = pooled(treatment, control);
  if (all.empty()) return std::nullopt;
  const std::vector<std::int64_t> scores = gehan_scores(all);
  std::int64_t observed = 0;
  double squares = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < treatment.size()) observed += scores[i];
    squares += static_cast<double>(scores[i]) * static_cast<double>(scores[i]);
  }
  if (treatment.size() * control.size() <= mann_whitney_exact) return label_tails(scores, treatment.size(), observed);
  const double t = static_cast<double>(treatment.size()), c = static_cast<double>(control.size()), n = t + c;
  return normal_tails(static_cast<double>(observed), 1, std::sqrt(t * c / (n * (n - 1)) * squares));
}

std::optional<OneSided> paired_gehan(std::span<const Duration> treatment, std::span<const Duration> control) {
  const std::vector<Duration> all = pooled(treatment, control);
  if (all.empty() || treatment.size() != control.size()) return std::nullopt;
  const std::vector<std::int64_t> scores = gehan_scores(all);
  std::vector<std::int64_t> sizes;
  std::int64_t above = 0;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < treatment.size(); ++i) {
    const std::int64_t difference = scores[i] - scores[i + treatment.size()];
    sizes.push_back(std::abs(difference));
    if (difference > 0) above += difference;
    sum += static_cast<double>(difference);
    squares += static_cast<double>(difference) * static_cast<double>(difference);
  }
  if (treatment.size() <= signed_rank_exact) return sign_flip_tails(sizes, above);
  return normal_tails(sum, 0, std::sqrt(squares));
}

}  // namespace stats
