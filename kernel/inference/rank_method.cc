#include "kernel/inference/rank_method.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/assert.h"
#include "kernel/evidence/blocks.h"
#include "kernel/inference/setting_summaries.h"
#include "stats/basics/distributions.h"
#include "stats/ranks/wilcoxon.h"

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

std::vector<std::optional<stats::Duration>> outcomes(const std::vector<double>& values, const std::vector<char>& cut) {
  std::vector<std::optional<stats::Duration>> out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out.push_back(stats::Duration{values[i], !cut.empty() && cut[i] != 0});
  return out;
}

/// An arm's units by seed; none for a unit that failed.
using BySeed = std::map<std::uint64_t, std::optional<stats::Duration>>;

/// The mean over an arm's cells for each seed that ran in all of them; none if a run failed. With `time_outs`, a run
/// that timed out counts as this value and the mean as a lower bound.
BySeed by_seed(const std::vector<const ObservedCell*>& arm, bool log, std::optional<double> time_outs) {
  struct Sum {
    double total = 0;
    std::size_t there = 0, failed = 0;
    bool cut = false;
  };
  std::map<std::uint64_t, Sum> seeds;
  const auto add = [&](std::uint64_t seed, double value, bool cut) {
    Sum& at = seeds[seed];
    at.total += log ? std::log(value) : value;
    ++at.there;
    at.cut = at.cut || cut;
  };
  for (const ObservedCell* cell : arm) {
    for (const auto& v : cell->values) add(v.seed, v.value, v.censored);
    for (const auto& failure : cell->failed) {
      if (failure.timed_out && time_outs)
        add(failure.seed, *time_outs, true);
      else
        ++seeds[failure.seed].failed;
    }
  }
  BySeed means;
  for (const auto& [seed, at] : seeds) {
    if (at.there + at.failed != arm.size()) continue;
    means[seed] = at.failed > 0 ? std::nullopt
                                : std::optional(stats::Duration{at.total / static_cast<double>(arm.size()), at.cut});
  }
  return means;
}

/// The longest time that the time limit did not cut off; none if the metric is no time, or if no run timed out.
std::optional<double> least_time_out(const Metric* metric, const std::vector<const ObservedCell*>& treatment,
                                     const std::vector<const ObservedCell*>& control) {
  if (!metric || metric->type != MetricType::time) return std::nullopt;
  double longest = 0;
  bool any = false;
  for (const auto* arm : {&treatment, &control})
    for (const ObservedCell* cell : *arm) {
      for (const auto& v : cell->values) longest = std::max(longest, v.value);
      any = any || std::ranges::any_of(cell->failed, [](const auto& f) { return f.timed_out; });
    }
  return any && longest > 0 ? std::optional(longest) : std::nullopt;
}

std::optional<Ranked> ranked_runs(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings,
                                  const UnitRules& rules) {
  const auto treatment = cells_in(settings, &Setting::treatment), control = cells_in(settings, &Setting::control);
  Ranked out;
  out.paired = spec.design.pairing == Pairing::seed;
  if (!out.paired && (treatment.size() != 1 || control.size() != 1)) return std::nullopt;
  const std::optional<double> time_outs = least_time_out(spec.metric(h.metric), treatment, control);
  out.cut = rules.censored || time_outs;
  const BySeed ts = by_seed(treatment, rules.logarithms, time_outs), cs = by_seed(control, rules.logarithms, time_outs);
  if (!out.paired) {
    for (const auto& [seed, value] : ts) out.treatment.push_back(value);
    for (const auto& [seed, value] : cs) out.control.push_back(value);
    return out;
  }
  for (const auto& [seed, value] : ts) {
    const auto other = cs.find(seed);
    if (other == cs.end()) continue;
    out.treatment.push_back(value);
    out.control.push_back(other->second);
  }
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

PValues ranked_p_values(const Ranked& r, const Region& region, std::optional<double> sd) {
  return p_values(
      region, sd, [&](const Boundary& b) { return at(r, b, against_less).less; },
      [&](const Boundary& b) { return at(r, b, against_greater).greater; });
}

std::optional<PValues> worst_case(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings,
                                  const Test& test) {
  if (h.kind != HypothesisKind::compare) return std::nullopt;
  const std::optional<Ranked> r = ranked_runs(spec, h, settings, test.method->units());
  if (!r || r->treatment.empty() || r->control.empty()) return std::nullopt;
  return test.method->with_failures(*r, test);
}

namespace {

/// Precondition: no run failed.
std::vector<double> times(const std::vector<std::optional<stats::Duration>>& arm) {
  std::vector<double> out;
  for (const auto& value : arm) {
    ETUDE_ASSERT(value);
    out.push_back(value->time);
  }
  return out;
}

/// `of` is censored_shift or censored_ratio. Precondition: no run failed.
template <typename Of>
std::optional<stats::CensoredEffect> of_times(const Ranked& r, Of of, double level) {
  for (const auto* arm : {&r.treatment, &r.control})
    ETUDE_ASSERT(std::ranges::all_of(*arm, [](const auto& value) { return value.has_value(); }));
  const auto t = durations(r.treatment, {}), c = durations(r.control, {});
  return of(stats::TimedArms{t, c, r.paired}, level);
}

/// Hodges and Lehmann's estimate of treatment − control. Precondition: no run failed.
std::optional<stats::CensoredEffect> shift_of(const Ranked& r, double level) {
  if (r.cut) return of_times(r, stats::censored_shift, level);
  const std::vector<double> t = times(r.treatment), c = times(r.control);
  const auto effect = [&](const auto& test) -> std::optional<stats::CensoredEffect> {
    if (!test) return std::nullopt;
    return stats::CensoredEffect{test->estimate, false, stats::interval(*test, level)};
  };
  return r.paired ? effect(stats::signed_rank(t, c)) : effect(stats::mann_whitney(t, c));
}

/// The same for treatment / control; none unless every control is above zero. Precondition: no run failed.
std::optional<stats::CensoredEffect> ratio_of(const Ranked& r, double level) {
  if (r.cut) return of_times(r, stats::censored_ratio, level);
  const std::vector<double> t = times(r.treatment), c = times(r.control);
  const auto ratio = r.paired ? stats::signed_rank_ratio(t, c, level) : stats::mann_whitney_ratio(t, c, level);
  return ratio ? std::optional(stats::CensoredEffect{ratio->estimate, false, ratio->interval}) : std::nullopt;
}

/// Ranks times by Gehan's scores if some are only lower bounds.
class RankMethod : public TestMethod {
 public:
  explicit constexpr RankMethod(bool censored) : censored_(censored) {}

  const char* name() const override { return "rank"; }

  bool fits(const StudySpec& spec, const Hypothesis& h) const override {
    const Metric* metric = spec.metric(h.metric);
    const bool asked = h.method == Method::rank || (censored_ && h.method == Method::automatic);
    return h.has_arms() && h.kind != HypothesisKind::interaction && asked &&
           (!censored_ || (metric && may_be_cut(*metric)));
  }

  UnitRules units() const override { return {.censored = censored_, .single_cells = true}; }

  /// The error comes from the shift's interval at 90 %, or at 50 % if few runs do not bound it: Lehmann, "Nonparametric
  /// confidence intervals for a shift parameter", Ann. Math. Stat. 34 (1963), with t for the normal quantile.
  void measure(Test& test) const override {
    const std::optional<Ranked> r = ranked(test.sample);
    const auto shift = r ? shift_of(*r, 0.5) : std::nullopt;
    if (!shift) return;
    const auto ratio = ratio_of(*r, 0.5);
    test.effect = shift->estimate;
    test.open = shift->open;
    test.effect_relative = ratio ? std::optional(ratio->estimate - 1) : std::nullopt;
    test.tested = r->cut || varies(test);
    if (!test.tested) return;
    test.df = static_cast<double>(r->paired ? r->treatment.size() - 1 : r->treatment.size() + r->control.size() - 2);
    test.p = ranked_p_values(*r, test.region, test.sd);
    if (*test.df < 1) return;
    for (const double level : {0.9, 0.5}) {
      const stats::Interval i = interval(test, level);
      if (!i.low || !i.high) continue;
      test.standard_error = (*i.high - *i.low) / 2 / stats::t_quantile((1 + level) / 2, *test.df);
      return;
    }
  }

  std::optional<PValues> with_failures(const Ranked& runs, const Test& test) const override {
    return ranked_p_values(runs, test.region, test.sd);
  }

  stats::Interval interval(const Test& test, double level) const override {
    const auto shift = test.tested ? shift_of(*ranked(test.sample), level) : std::nullopt;
    return shift ? shift->interval : stats::Interval{};
  }

  stats::Interval relative_interval(const Test& test, double level) const override {
    const auto ratio = test.tested ? ratio_of(*ranked(test.sample), level) : std::nullopt;
    return ratio ? less_one(ratio->interval) : stats::Interval{};
  }

  bool of_means() const override { return false; }

  /// 3/π under normality: Hodges and Lehmann, "The efficiency of some nonparametric competitors of the t-test", Ann.
  /// Math. Stat. 27 (1956).
  double efficiency() const override { return 0.9549296585513721; }

  double smallest_p(Pairing pairing, int replicates) const override {
    const auto n = static_cast<std::size_t>(std::max(1, replicates));
    return pairing == Pairing::seed ? stats::smallest_signed_rank_p(n) : stats::smallest_mann_whitney_p(n, n);
  }

  std::vector<Reason> warnings(const Sample& sample) const override { return shape_warnings(sample, true); }

  std::optional<std::string> words(const StudySpec& spec) const override {
    const bool paired = spec.design.pairing == Pairing::seed;
    const char* test = "Mann and Whitney's test of the runs";
    if (censored_)
      test = paired ? "Gehan's scores of times that may be cut off, compared within seeds"
                    : "Gehan's test of times that may be cut off";
    else if (in_blocks(spec))
      test = "Wilcoxon's signed-rank test of the blocks";
    else if (paired)
      test = "Wilcoxon's signed-rank test of the seeds";
    return fmt::format("By ranks: {}; effects are {}, not differences of means.", test,
                       censored_ ? "the shifts at which it turns" : "Hodges and Lehmann's estimates");
  }

 private:
  const bool censored_;
};

const RankMethod rank_test(false), censored_rank_test(true);

}  // namespace

const TestMethod &rank_method = rank_test, &censored_rank_method = censored_rank_test;

}  // namespace kernel
