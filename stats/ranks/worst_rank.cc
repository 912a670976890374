#include "stats/ranks/worst_rank.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/ranks/ranks.h"
#include "stats/ranks/wilcoxon.h"

namespace stats {

namespace {

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
