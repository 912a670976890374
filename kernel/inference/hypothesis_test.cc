#include "kernel/inference/hypothesis_test.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernel/inference/proportion_tests.h"
#include "kernel/inference/rank_tests.h"

namespace kernel {

namespace {

/// The boundary at which the contrast is the reported effect itself.
Boundary effect_boundary(HypothesisKind kind) {
  return {kind == HypothesisKind::slope ? 0.0 : 1.0, 0};
}

stats::Interval scaled(const stats::Interval& i, double factor) {
  const auto times = [&](std::optional<double> end) { return end ? std::optional(*end * factor) : std::nullopt; };
  return factor >= 0 ? stats::Interval{times(i.low), times(i.high)} : stats::Interval{times(i.high), times(i.low)};
}

stats::Interval shifted(const stats::Interval& i, double by) {
  const auto plus = [&](std::optional<double> end) { return end ? std::optional(*end + by) : std::nullopt; };
  return {plus(i.low), plus(i.high)};
}

/// From a log ratio to ratio − 1.
stats::Interval raised(const stats::Interval& i) {
  const auto raise = [](std::optional<double> end) -> std::optional<double> {
    const double value = end ? std::expm1(*end) : HUGE_VAL;
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  };
  return {raise(i.low), raise(i.high)};
}

bool without_variance(const Test& test) {
  for (const auto& boundary : {test.region.below, test.region.above}) {
    if (!boundary) continue;
    const auto c = contrast(test.sample, *boundary);
    if (!c || c->standard_error <= 0) return true;
  }
  return false;
}

void measure_by_ranks(Test& test) {
  const std::optional<Ranked> r = ranked(test.sample);
  const std::optional<RankEffect> effect = r ? rank_effect(*r) : std::nullopt;
  if (!effect) return;
  test.effect = effect->shift;
  test.effect_relative.reset();
  if (effect->ratio) test.effect_relative = *effect->ratio - 1;
  test.tested = r->cut || !without_variance(test);
  test.open = effect->open;
  if (!test.tested) return;
  test.standard_error = effect->standard_error;
  test.df = effect->df;
  test.p = ranked_p_values(*r, test.region, test.sd);
}

}  // namespace

void fill_in(Test& test) {
  const ArmMeans means = arm_means(test.sample);
  if (test.log) {
    test.effect = std::exp(means.treatment) - std::exp(means.control);
    test.effect_relative = std::expm1(means.treatment - means.control);
  } else {
    test.effect = test.kind == HypothesisKind::slope ? means.treatment : means.treatment - means.control;
    if (means.control != 0 && test.kind != HypothesisKind::interaction)
      test.effect_relative = means.treatment / means.control - 1;
  }
  if (test.effect_relative && !std::isfinite(*test.effect_relative)) test.effect_relative.reset();
  if (!test.exact) test.sd = unit_sd(test.sample, test.region.below ? *test.region.below : *test.region.above);
  if (test.rank) return measure_by_ranks(test);
  const auto own = contrast(test.sample, effect_boundary(test.kind));
  test.tested = !test.exact && (test.share || !without_variance(test));
  if (test.tested && own && own->standard_error > 0) {
    // From the logarithmic ratio by the delta method, as the interval: at the control's geometric mean.
    test.standard_error = own->standard_error * (test.log ? std::exp(means.treatment) : 1);
    test.df = own->df;
  }
  if (test.share)
    test.p = share_p_values(*ranked(test.sample), test.region, test.sd);
  else if (test.exact || test.tested)
    test.p = p_values(test.sample, test.region);
}

stats::Interval Test::interval(double level) const {
  if (exact) return {effect, effect};
  if (rank) return tested ? rank_interval(*ranked(sample), level) : stats::Interval{};
  if (share) return share_interval(sample, level);
  const auto c = contrast(sample, effect_boundary(kind));
  if (!c || !standard_error) return {};
  const stats::Interval own = stats::interval(*c, level);
  return log ? scaled(raised(own), std::exp(arm_means(sample).control)) : own;
}

stats::Interval Test::relative_interval(double level) const {
  if (exact) return {effect_relative, effect_relative};
  if (share) return shifted(share_ratio_interval(sample, level), -1);
  if (rank) return tested ? shifted(rank_ratio_interval(*ranked(sample), level), -1) : stats::Interval{};
  if (!standard_error) return {};
  if (log) return raised(stats::interval(*contrast(sample, {}), level));
  return shifted(ratio_interval(sample, level), -1);
}

std::optional<stats::Bootstrap> Test::bootstrap(std::uint64_t seed) const {
  if (rank || share) return std::nullopt;
  const std::vector<stats::WeightedSample> samples = resampled(sample);
  std::size_t values = 0;
  for (const stats::WeightedSample& s : samples) values += s.values.size();
  if (values == 0 || values > 2000) return std::nullopt;
  const std::size_t draws = 2'000'000;
  return stats::bootstrap(samples, static_cast<int>(std::clamp<std::size_t>(draws / values, 1000, 2000)), seed);
}

stats::Interval Test::bootstrap_interval(const stats::Bootstrap& b, double level) const {
  const stats::Interval own = stats::bca_interval(b, level);
  return log ? scaled(raised(own), std::exp(arm_means(sample).control)) : own;
}

}  // namespace kernel
