#include "kernel/ranked.h"

#include <algorithm>

#include "stats/distributions.h"
#include "stats/mann_whitney.h"
#include "stats/rank_ratio.h"
#include "stats/signed_rank.h"
#include "stats/worst_rank.h"

namespace kernel {

namespace {

constexpr stats::FailedRanks against_less{stats::FailedRank::highest, stats::FailedRank::lowest};
constexpr stats::FailedRanks against_greater{stats::FailedRank::lowest, stats::FailedRank::highest};

stats::OneSided at(const Ranked& r, const Boundary& b, const stats::FailedRanks& ranks) {
  const auto p = r.paired ? stats::worst_rank_paired(r.treatment, r.control, ranks, b.ratio, b.shift)
                          : stats::worst_rank_independent(r.treatment, r.control, ranks, b.ratio, b.shift);
  return p.value_or(stats::OneSided{});
}

std::optional<Boundary> far(const std::optional<Boundary>& stated, const Boundary& from, std::optional<double> count,
                            std::optional<double> sd, double side) {
  if (!count) return stated;
  return sd ? std::optional(Boundary{from.ratio, from.shift + side * *count * *sd}) : std::nullopt;
}

struct Arms {
  std::vector<double> treatment, control;
};

/// None where a run failed.
std::optional<Arms> whole(const Ranked& r) {
  Arms arms;
  for (const auto& [from, to] : {std::pair{&r.treatment, &arms.treatment}, std::pair{&r.control, &arms.control}})
    for (const std::optional<double>& value : *from) {
      if (!value) return std::nullopt;
      to->push_back(*value);
    }
  return arms;
}

std::optional<stats::RankRatio> ratio_of(const Ranked& r, const Arms& arms, double level) {
  return r.paired ? stats::signed_rank_ratio(arms.treatment, arms.control, level)
                  : stats::mann_whitney_ratio(arms.treatment, arms.control, level);
}

}  // namespace

std::optional<Ranked> ranked(const Sample& sample) {
  Ranked out;
  if (const auto* pairs = std::get_if<PairedSample>(&sample)) {
    out.treatment.assign(pairs->treatment.begin(), pairs->treatment.end());
    out.control.assign(pairs->control.begin(), pairs->control.end());
    return out;
  }
  const auto* cells = std::get_if<CellSample>(&sample);
  if (!cells || cells->treatment.size() != 1 || cells->control.size() != 1) return std::nullopt;
  out.paired = false;
  out.treatment.assign(cells->treatment[0].begin(), cells->treatment[0].end());
  out.control.assign(cells->control[0].begin(), cells->control[0].end());
  return out;
}

PValues ranked_p_values(const Ranked& r, const Region& region, std::optional<double> sd) {
  Side below, above;
  if (region.below) {
    below = {at(r, *region.below, against_less).less, at(r, *region.below, against_greater).greater, 1};
    if (const auto beyond = far(region.far_below, *region.below, region.far_sd, sd, -1))
      below.beyond = at(r, *beyond, against_greater).greater;
  }
  if (region.above) {
    above = {at(r, *region.above, against_greater).greater, at(r, *region.above, against_less).less, 1};
    if (const auto beyond = far(region.far_above, *region.above, region.far_sd, sd, 1))
      above.beyond = at(r, *beyond, against_less).less;
  }
  return both_sides(region, below, above);
}

std::optional<RankEffect> rank_effect(const Ranked& r) {
  const std::optional<Arms> arms = whole(r);
  if (!arms) return std::nullopt;
  RankEffect effect;
  if (r.paired) {
    const auto test = stats::signed_rank(arms->treatment, arms->control);
    if (!test) return std::nullopt;
    effect.shift = test->estimate;
    effect.df = static_cast<double>(arms->treatment.size()) - 1;
  } else {
    const auto test = stats::mann_whitney(arms->treatment, arms->control);
    if (!test) return std::nullopt;
    effect.shift = test->estimate;
    effect.df = static_cast<double>(arms->treatment.size() + arms->control.size()) - 2;
  }
  if (const auto ratio = ratio_of(r, *arms, 0.5)) effect.ratio = ratio->estimate;
  if (effect.df < 1) return effect;
  for (const double level : {0.9, 0.5}) {
    const stats::Interval i = rank_interval(r, level);
    if (!i.low || !i.high) continue;
    effect.standard_error = (*i.high - *i.low) / 2 / stats::t_quantile((1 + level) / 2, effect.df);
    break;
  }
  return effect;
}

stats::Interval rank_interval(const Ranked& r, double level) {
  const std::optional<Arms> arms = whole(r);
  if (!arms) return {};
  if (r.paired) {
    const auto test = stats::signed_rank(arms->treatment, arms->control);
    return test ? stats::interval(*test, level) : stats::Interval{};
  }
  const auto test = stats::mann_whitney(arms->treatment, arms->control);
  return test ? stats::interval(*test, level) : stats::Interval{};
}

stats::Interval rank_ratio_interval(const Ranked& r, double level) {
  const std::optional<Arms> arms = whole(r);
  const auto ratio = arms ? ratio_of(r, *arms, level) : std::nullopt;
  return ratio ? ratio->interval : stats::Interval{};
}

double smallest_rank_p(Pairing pairing, int replicates) {
  const auto n = static_cast<std::size_t>(std::max(1, replicates));
  return pairing == Pairing::seed ? stats::smallest_signed_rank_p(n) : stats::smallest_mann_whitney_p(n, n);
}

}  // namespace kernel
