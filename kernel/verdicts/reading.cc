#include "kernel/verdicts/reading.h"

#include <algorithm>
#include <cmath>

#include "kernel/inference/rank_method.h"
#include "kernel/verdicts/cautions.h"

namespace kernel {

namespace {

/// Number of outliers that are left out, one at a time; each costs a new estimate.
constexpr std::size_t most_left_out = 5;

/// Hedges' g of the test that is reported; none for tests that are not of means.
std::optional<double> standardised(const Test& test) {
  if (!test.tested || !test.method->of_means() || test.method->units().exact) return std::nullopt;
  const Boundary equality{1, 0};
  const auto c = contrast(test.sample, equality);
  const double sd = unit_sd(test.sample, equality);
  if (!c || !(sd > 0) || !(c->df > 1)) return std::nullopt;
  const double g = stats::hedges_factor(c->df) * c->estimate / sd;
  return std::isfinite(g) ? std::optional(g) : std::nullopt;
}

/// The estimate with these p-values of the hypothesis's own tests.
Estimate retested(Estimate e, const PValues& own) {
  e.own = own;
  std::vector<PValues> parts = {own};
  for (const RequiredPart& part : e.required) parts.push_back(part.estimate.p);
  e.p = in_every(parts);
  return e;
}

std::optional<Estimate> by_ranks(const StudySpec& spec, const Hypothesis& h, const Estimate& e) {
  if (h.kind != HypothesisKind::compare || e.crossing) return std::nullopt;
  std::vector<PValues> parts;
  for (const Test& test : e.tests) {
    const bool of_means = test.method->of_means() && !test.method->units().exact && !test.method->exact_at_equality();
    const std::optional<Ranked> r = of_means && !test.survivors ? ranked(test.sample) : std::nullopt;
    if (!r) return std::nullopt;
    const auto n = static_cast<int>(std::min(r->treatment.size(), r->control.size()));
    const double sides = test.region.either ? 2 : 1;
    // Too few units for ranks to say anything at the study's level.
    if (sides * rank_method.smallest_p(r->paired ? Pairing::seed : Pairing::none, n) > spec.design.alpha)
      return std::nullopt;
    parts.push_back(by_rule(spec.design.rule, h, ranked_p_values(*r, test.region, test.sd)));
  }
  return parts.empty() ? std::nullopt : std::optional(retested(e, in_every(parts)));
}

void leave_out_outliers(const StudyTerms& study, const Hypothesis& h, const Estimate& e, std::span<const RunValue> runs,
                        const VerdictWith& verdict_with, Verdict verdict, Reading& reading) {
  std::vector<OutlyingValue> outliers = outliers_of(study.spec, h, runs);
  reading.outliers = static_cast<int>(outliers.size());
  std::ranges::stable_sort(outliers,
                           [](const auto& a, const auto& b) { return std::abs(a.score) > std::abs(b.score); });
  outliers.resize(std::min(outliers.size(), most_left_out));
  for (const OutlyingValue& one : outliers) {
    std::vector<RunValue> others(runs.begin(), runs.end());
    std::erase_if(others, [&](const RunValue& run) { return run.run == one.run; });
    Estimate without = estimate(study.spec, h, others);
    without.required = e.required;
    const PValues own = without.own;
    const OtherVerdict other = verdict_with(retested(std::move(without), own));
    const bool changes = other.verdict != verdict;
    // If none changes the verdict, the one with the largest p is kept.
    if (reading.without_outlier && !changes && other.p <= reading.without_outlier->p) continue;
    reading.without_outlier = other;
    reading.outlier_run = changes ? one.run : 0;
    if (changes) return;
  }
}

}  // namespace

Reading reading_of(const StudyTerms& study, const Registration& registration, const Hypothesis& h, const Estimate& e,
                   const HypothesisResult& result, std::span<const RunValue> runs, const VerdictWith& verdict_with) {
  Reading reading;
  reading.runs = e.n;
  reading.left_out = e.left_out;
  if (e.tests.size() == 1) reading.standardised = standardised(e.tests.front());
  const auto own = [&](const SizeRecord& size) { return size.hypothesis == h.id; };
  if (const auto size = std::ranges::find_if(registration.sizes, own); size != registration.sizes.end())
    reading.planned_power = size->power;
  if (!verdict_with || !e.obstacle.empty() || e.tests.empty()) return reading;
  if (const auto ranks = by_ranks(study.spec, h, e)) reading.by_ranks = verdict_with(*ranks);
  if (h.unit == TestUnit::seed) leave_out_outliers(study, h, e, runs, verdict_with, result.verdict, reading);
  return reading;
}

}  // namespace kernel
