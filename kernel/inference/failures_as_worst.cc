#include "kernel/inference/failures_as_worst.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "kernel/inference/rank_method.h"

namespace kernel {

namespace {

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

/// The least value of a time that the time limit cut off: the longest time that was not cut off. None if the metric is
/// no time, or if no run timed out.
std::optional<double> least_time_out(const Metric* metric, const std::vector<const ObservedCell*>& treatment,
                                     const std::vector<const ObservedCell*>& control) {
  if (!metric || metric->type != MetricType::time) return std::nullopt;
  double longest = 0;
  bool any = false;
  for (const auto* arm : {&treatment, &control})
    for (const ObservedCell* cell : *arm) {
      for (const auto& v : cell->values) longest = std::max(longest, v.value);
      any = any || std::any_of(cell->failed.begin(), cell->failed.end(), [](const auto& f) { return f.timed_out; });
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

std::optional<PValues> worst_case(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings,
                                  const Test& test) {
  if (h.kind != HypothesisKind::compare) return std::nullopt;
  const std::optional<Ranked> r = ranked_runs(spec, h, settings, test.method->units());
  if (!r || r->treatment.empty() || r->control.empty()) return std::nullopt;
  return test.method->with_failures(*r, test);
}

}  // namespace kernel
