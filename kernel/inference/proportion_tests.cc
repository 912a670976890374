#include "kernel/inference/proportion_tests.h"

#include <algorithm>

#include "stats/effects/proportions.h"

namespace kernel {

namespace {

bool all_outcomes(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v == 0 || v == 1; });
}

struct Counted {
  stats::ShareDifference difference;
  stats::ShareTest exact;
};

/// Failed runs of the arms count as these.
Counted counted(const Ranked& r, bool failed_treatment, bool failed_control) {
  const auto outcome = [](const std::optional<stats::Duration>& v, bool failed) { return v ? v->time == 1 : failed; };
  if (!r.paired) {
    stats::Share t, c;
    for (const auto& v : r.treatment) ++t.n, t.successes += outcome(v, failed_treatment) ? 1 : 0;
    for (const auto& v : r.control) ++c.n, c.successes += outcome(v, failed_control) ? 1 : 0;
    return {*stats::share_difference(t, c), *stats::fisher_exact(t, c)};
  }
  stats::PairedShares pairs;
  for (std::size_t i = 0; i < r.treatment.size(); ++i) {
    const bool t = outcome(r.treatment[i], failed_treatment), c = outcome(r.control[i], failed_control);
    ++(t ? c ? pairs.both : pairs.treatment : c ? pairs.control : pairs.neither);
  }
  return {*stats::share_difference(pairs), *stats::mcnemar_exact(pairs)};
}

bool is_equality(const Boundary& b) {
  return b.ratio == 1 && b.shift == 0;
}

double p_below(const Ranked& r, const Boundary& b, bool failed_treatment) {
  const Counted n = counted(r, failed_treatment, !failed_treatment);
  const double p = stats::p_less(stats::share_contrast(n.difference, b.ratio), b.shift);
  return is_equality(b) ? std::max(p, n.exact.p.less) : p;
}

double p_above(const Ranked& r, const Boundary& b, bool failed_treatment) {
  const Counted n = counted(r, failed_treatment, !failed_treatment);
  const double p = stats::p_greater(stats::share_contrast(n.difference, b.ratio), b.shift);
  return is_equality(b) ? std::max(p, n.exact.p.greater) : p;
}

}  // namespace

std::string within_runs(const std::string& metric) {
  return metric + " is a share within each run, not an outcome of 0 or 1: the runs' shares are compared by t";
}

bool are_outcomes(const Sample& sample) {
  if (const auto* pairs = std::get_if<PairedSample>(&sample))
    return all_outcomes(pairs->treatment) && all_outcomes(pairs->control);
  const auto* cells = std::get_if<CellSample>(&sample);
  return cells && cells->treatment.size() == 1 && cells->control.size() == 1 && all_outcomes(cells->treatment[0]) &&
         all_outcomes(cells->control[0]);
}

PValues share_p_values(const Ranked& r, const Region& region, std::optional<double> sd) {
  Side below, above;
  // "Less" is spoken against by treatments that succeed and controls that do not.
  if (region.below) {
    below = {p_below(r, *region.below, true), p_above(r, *region.below, false), 1};
    if (const auto beyond = beyond_of(region, false, sd)) below.beyond = p_above(r, *beyond, false);
  }
  if (region.above) {
    above = {p_above(r, *region.above, false), p_below(r, *region.above, true), 1};
    if (const auto beyond = beyond_of(region, true, sd)) above.beyond = p_below(r, *beyond, true);
  }
  return both_sides(region, below, above);
}

double share_variance(const Sample& sample, const Boundary& b) {
  const std::optional<Ranked> r = ranked(sample);
  if (!r) return 0;
  const auto one = [](const std::vector<std::optional<stats::Duration>>& arm) {
    double successes = 2;
    for (const auto& v : arm) successes += v ? v->time : 0;
    const double share = successes / (static_cast<double>(arm.size()) + 4);
    return share * (1 - share);
  };
  return one(r->treatment) + b.ratio * b.ratio * one(r->control);
}

stats::Interval share_interval(const Sample& sample, double level) {
  const std::optional<Ranked> r = ranked(sample);
  return r ? stats::interval(counted(*r, false, false).difference, level) : stats::Interval{};
}

stats::Interval share_ratio_interval(const Sample& sample, double level) {
  const std::optional<Ranked> r = ranked(sample);
  return r ? stats::share_ratio_interval(counted(*r, false, false).difference, level) : stats::Interval{};
}

}  // namespace kernel
