#include <algorithm>

#include "kernel/evidence/blocks.h"
#include "kernel/inference/rank_method.h"
#include "kernel/inference/test_method.h"
#include "stats/effects/proportions.h"

namespace kernel {

namespace {

/// True if each test of the hypothesis compares one cell with one.
bool is_of_two_cells(const StudySpec& spec, const Hypothesis& h) {
  if (h.over == Over::every) return true;
  return std::ranges::all_of(spec.factors, [&](const Factor& f) {
    return f.levels.size() < 2 || h.where.contains(f.name) || is_block(spec, f.name) ||
           (h.treatment.contains(f.name) && h.control.contains(f.name));
  });
}

struct Counted {
  stats::ShareDifference difference;
  stats::ShareTest exact;
};

/// Counts the outcomes, with failed runs of each arm as given.
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

/// True if every run has the value 1 or 0.
bool are_outcomes(const Sample& sample) {
  const std::optional<Ranked> r = ranked(sample);
  const auto outcome = [](const auto& v) { return v->time == 0 || v->time == 1; };
  return r && std::ranges::all_of(r->treatment, outcome) && std::ranges::all_of(r->control, outcome);
}

/// Compares the shares of runs that succeeded in two arms: Newcombe's intervals and, against equality, the exact tests
/// of Fisher and McNemar. Failed runs may count as either.
class ShareMethod : public TestMethod {
 public:
  const char* name() const override { return "newcombe"; }

  bool fits(const StudySpec& spec, const Hypothesis& h) const override {
    const Metric* metric = spec.metric(h.metric);
    return h.kind == HypothesisKind::compare && h.method == Method::automatic && metric &&
           metric->type == MetricType::proportion && metric->scale == Scale::linear && is_of_two_cells(spec, h) &&
           (!in_blocks(spec) || spec.design.replicates_max == 1);
  }

  std::optional<Reason> unfit(const Hypothesis& h, const Sample& sample) const override {
    if (are_outcomes(sample)) return std::nullopt;
    const bool of_items = h.unit == TestUnit::item;
    return Reason{of_items ? ReasonCode::shares_of_items : ReasonCode::shares_within_runs, {{"metric", h.metric}}};
  }

  const TestMethod& fallback() const override { return t_method; }

  UnitRules units() const override { return {.may_be_constant = true}; }

  void measure(Test& test) const override {
    test.tested = true;
    add_error(test);
    test.p = *with_failures(*ranked(test.sample), test);
  }

  /// If a boundary is equality itself, the p is the larger of interval and exact test.
  std::optional<PValues> with_failures(const Ranked& r, const Test& test) const override {
    // Failed treatments as successes and failed controls as failures are the worst case for "less".
    const auto against = [&](bool less) {
      return [&r, less](const Boundary& b) {
        const Counted n = counted(r, less, !less);
        const stats::ShareDifference contrast = stats::share_contrast(n.difference, b.ratio);
        const double p = less ? stats::p_less(contrast, b.shift) : stats::p_greater(contrast, b.shift);
        const bool equality = b.ratio == 1 && b.shift == 0;
        return equality ? std::max(p, less ? n.exact.p.less : n.exact.p.greater) : p;
      };
    };
    return p_values(test.region, test.sd, against(true), against(false));
  }

  stats::Interval interval(const Test& test, double level) const override {
    return stats::interval(counted(*ranked(test.sample), false, false).difference, level);
  }

  stats::Interval relative_interval(const Test& test, double level) const override {
    return less_one(stats::share_ratio_interval(counted(*ranked(test.sample), false, false).difference, level));
  }

  bool exact_at_equality() const override { return true; }
  /// The small p that early looks need is not reliable for shares.
  bool at_looks() const override { return false; }

  /// Uses shares that four more runs draw towards one half (Agresti & Coull, "Approximate is better than exact for
  /// interval estimation of binomial proportions", Am. Stat. 52 (1998)), so that five of five is not taken as certain.
  /// Pairs count as independent runs.
  double variance(const Sample& sample, const Boundary& b) const override {
    const std::optional<Ranked> r = ranked(sample);
    const auto one = [](double share) { return share * (1 - share); };
    return one(expected(r->treatment)) + b.ratio * b.ratio * one(expected(r->control));
  }

  /// All outcomes are listed; the control's share is the pilot's, drawn towards one half as above.
  std::optional<double> own_power(const Sample& pilot, const Boundary& b, bool below, double distance, double alpha,
                                  int n) const override {
    constexpr int most_listed = 2000;
    const std::optional<Ranked> r = ranked(pilot);
    if (!r || n < 1 || n > most_listed) return std::nullopt;
    const double control = expected(r->control);
    const double treatment = std::clamp(b.ratio * control + b.shift + (below ? -distance : distance), 0.0, 1.0);
    return stats::share_power(treatment, control, {b.ratio, b.shift, below, alpha}, n, r->paired);
  }

 private:
  static double expected(const std::vector<std::optional<stats::Duration>>& arm) {
    double successes = 2;
    for (const auto& v : arm) successes += v ? v->time : 0;
    return successes / (static_cast<double>(arm.size()) + 4);
  }

 public:
  std::optional<std::string> words(const StudySpec& spec) const override {
    return std::string("By shares of runs: Newcombe's interval and, against no difference, ") +
           (spec.design.pairing == Pairing::seed ? "McNemar's" : "Fisher's") + " exact test.";
  }
};

const ShareMethod share_test;

}  // namespace

const TestMethod& share_method = share_test;

}  // namespace kernel
