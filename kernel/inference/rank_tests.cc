#include "kernel/inference/rank_tests.h"

#include <algorithm>
#include <cmath>

#include "stats/basics/distributions.h"
#include "stats/ranks/censored_shift.h"
#include "stats/ranks/mann_whitney.h"
#include "stats/ranks/rank_ratio.h"
#include "stats/ranks/signed_rank.h"
#include "stats/ranks/worst_rank.h"

namespace kernel {

namespace {

constexpr stats::FailedRanks against_less{stats::FailedRank::highest, stats::FailedRank::lowest};
constexpr stats::FailedRanks against_greater{stats::FailedRank::lowest, stats::FailedRank::highest};

std::vector<std::optional<double>> numbers(const std::vector<std::optional<stats::Duration>>& arm) {
  std::vector<std::optional<double>> out;
  for (const auto& value : arm) out.push_back(value ? std::optional(value->time) : std::nullopt);
  return out;
}

std::vector<stats::Duration> durations(const std::vector<std::optional<stats::Duration>>& arm, stats::FailedRank end) {
  std::vector<stats::Duration> out;
  const double far = end == stats::FailedRank::highest ? HUGE_VAL : -HUGE_VAL;
  for (const auto& value : arm) out.push_back(value.value_or(stats::Duration{far, false}));
  return out;
}

stats::OneSided at(const Ranked& r, const Boundary& b, const stats::FailedRanks& ranks) {
  if (r.cut) {
    const auto t = durations(r.treatment, ranks.treatment), c = durations(r.control, ranks.control);
    return stats::censored_p({t, c, r.paired}, b.ratio, b.shift).value_or(stats::OneSided{});
  }
  const auto t = numbers(r.treatment), c = numbers(r.control);
  const auto p = r.paired ? stats::worst_rank_paired(t, c, ranks, b.ratio, b.shift)
                          : stats::worst_rank_independent(t, c, ranks, b.ratio, b.shift);
  return p.value_or(stats::OneSided{});
}

struct Arms {
  std::vector<double> treatment, control;
};

/// None where a run failed.
std::optional<Arms> whole(const Ranked& r) {
  Arms arms;
  for (const auto& [from, to] : {std::pair{&r.treatment, &arms.treatment}, std::pair{&r.control, &arms.control}})
    for (const std::optional<stats::Duration>& value : *from) {
      if (!value) return std::nullopt;
      to->push_back(value->time);
    }
  return arms;
}

/// `of` the arms' times, none of which failed.
template <typename Of>
std::optional<stats::CensoredEffect> of_times(const Ranked& r, Of of, double level) {
  if (!whole(r)) return std::nullopt;
  const auto t = durations(r.treatment, {}), c = durations(r.control, {});
  return of(stats::TimedArms{t, c, r.paired}, level);
}

std::optional<stats::RankRatio> ratio_of(const Ranked& r, const Arms& arms, double level) {
  return r.paired ? stats::signed_rank_ratio(arms.treatment, arms.control, level)
                  : stats::mann_whitney_ratio(arms.treatment, arms.control, level);
}

}  // namespace

namespace {

std::vector<std::optional<stats::Duration>> outcomes(const std::vector<double>& values, const std::vector<char>& cut) {
  std::vector<std::optional<stats::Duration>> out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out.push_back(stats::Duration{values[i], !cut.empty() && cut[i] != 0});
  return out;
}

}  // namespace

std::optional<Ranked> ranked(const Sample& sample) {
  if (const auto* pairs = std::get_if<PairedSample>(&sample))
    return Ranked{true, !pairs->treatment_cut.empty(), outcomes(pairs->treatment, pairs->treatment_cut),
                  outcomes(pairs->control, pairs->control_cut)};
  const auto* cells = std::get_if<CellSample>(&sample);
  if (!cells || cells->treatment.size() != 1 || cells->control.size() != 1) return std::nullopt;
  return Ranked{false, !cells->treatment_cut.empty(), outcomes(cells->treatment[0], cells->treatment_cut),
                outcomes(cells->control[0], cells->control_cut)};
}

std::optional<Boundary> beyond_of(const Region& region, bool above, std::optional<double> sd) {
  const Boundary& from = above ? *region.above : *region.below;
  if (!region.far_sd) return above ? region.far_above : region.far_below;
  if (!sd) return std::nullopt;
  return Boundary{from.ratio, from.shift + (above ? 1 : -1) * *region.far_sd * *sd};
}

PValues ranked_p_values(const Ranked& r, const Region& region, std::optional<double> sd) {
  Side below, above;
  if (region.below) {
    below = {at(r, *region.below, against_less).less, at(r, *region.below, against_greater).greater, 1};
    if (const auto beyond = beyond_of(region, false, sd)) below.beyond = at(r, *beyond, against_greater).greater;
  }
  if (region.above) {
    above = {at(r, *region.above, against_greater).greater, at(r, *region.above, against_less).less, 1};
    if (const auto beyond = beyond_of(region, true, sd)) above.beyond = at(r, *beyond, against_less).less;
  }
  return both_sides(region, below, above);
}

std::optional<RankEffect> rank_effect(const Ranked& r) {
  const std::optional<Arms> arms = whole(r);
  if (!arms) return std::nullopt;
  RankEffect effect;
  effect.df = static_cast<double>(r.paired ? r.treatment.size() - 1 : r.treatment.size() + r.control.size() - 2);
  if (r.cut) {
    const auto shift = of_times(r, stats::censored_shift, 0.5), ratio = of_times(r, stats::censored_ratio, 0.5);
    if (!shift) return std::nullopt;
    effect.shift = shift->estimate;
    effect.open = shift->open;
    if (ratio) effect.ratio = ratio->estimate;
  } else if (r.paired) {
    const auto test = stats::signed_rank(arms->treatment, arms->control);
    if (!test) return std::nullopt;
    effect.shift = test->estimate;
  } else {
    const auto test = stats::mann_whitney(arms->treatment, arms->control);
    if (!test) return std::nullopt;
    effect.shift = test->estimate;
  }
  if (const auto ratio = r.cut ? std::nullopt : ratio_of(r, *arms, 0.5)) effect.ratio = ratio->estimate;
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
  if (r.cut) return of_times(r, stats::censored_shift, level).value_or(stats::CensoredEffect{}).interval;
  if (r.paired) {
    const auto test = stats::signed_rank(arms->treatment, arms->control);
    return test ? stats::interval(*test, level) : stats::Interval{};
  }
  const auto test = stats::mann_whitney(arms->treatment, arms->control);
  return test ? stats::interval(*test, level) : stats::Interval{};
}

stats::Interval rank_ratio_interval(const Ranked& r, double level) {
  if (r.cut) return of_times(r, stats::censored_ratio, level).value_or(stats::CensoredEffect{}).interval;
  const std::optional<Arms> arms = whole(r);
  const auto ratio = arms ? ratio_of(r, *arms, level) : std::nullopt;
  return ratio ? ratio->interval : stats::Interval{};
}

double smallest_rank_p(Pairing pairing, int replicates) {
  const auto n = static_cast<std::size_t>(std::max(1, replicates));
  return pairing == Pairing::seed ? stats::smallest_signed_rank_p(n) : stats::smallest_mann_whitney_p(n, n);
}

}  // namespace kernel
