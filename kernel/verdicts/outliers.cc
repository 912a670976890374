#include "kernel/verdicts/outliers.h"

#include <algorithm>
#include <cmath>

#include "kernel/verdicts/verdict_reason.h"
#include "stats/basics/descriptive.h"
#include "stats/diagnostics/sample_checks.h"

namespace kernel {

namespace {

constexpr std::size_t fewest_values = 5, most_runs_named = 5;

struct Outlier {
  int run = 0;
  double value = 0, noise = 0, score = 0;
};

void add_outliers(const ObservedCell& cell, bool log, std::vector<Outlier>& found) {
  if (cell.values.size() < fewest_values) return;
  std::vector<double> plain, tested;
  for (const auto& v : cell.values) {
    if (v.censored || (log && v.value <= 0)) return;
    plain.push_back(v.value);
    tested.push_back(log ? std::log(v.value) : v.value);
  }
  const auto scores = stats::modified_z_scores(tested);
  if (!scores) return;
  const double noise = stats::standard_deviation(plain).value_or(0);
  for (std::size_t i = 0; i < scores->size(); ++i)
    if (std::abs((*scores)[i]) > stats::far_out) found.push_back({cell.values[i].run, plain[i], noise, (*scores)[i]});
}

}  // namespace

Reason outlier_warning(const StudyTerms& study, const Hypothesis& h, std::span<const RunValue> runs) {
  const Metric* metric = study.spec.metric(h.metric);
  if (metric && metric->deterministic) return {};
  const UnitRules rules = method_of(study.spec, h).units();
  const std::vector<Setting> settings = observe(study.spec, h, runs, rules);
  std::vector<Outlier> found;
  for (const auto arm : {&Setting::treatment, &Setting::control})
    for (const ObservedCell* cell : cells_in(settings, arm)) add_outliers(*cell, on_logarithms(h, rules), found);
  if (found.empty()) return {};
  std::sort(found.begin(), found.end(), [](const Outlier& a, const Outlier& b) { return a.run < b.run; });
  std::vector<Reason> named;
  for (std::size_t i = 0; i < std::min(found.size(), most_runs_named); ++i) {
    const Outlier& one = found[i];
    named.push_back({ReasonCode::outlier,
                     {{"run", one.run}, {"value", one.value}, {"precision", one.noise / 10}, {"score", one.score}}});
    if (metric) add_unit(named.back(), metric->unit);
  }
  Reason kept{ReasonCode::outliers_kept, {{"outliers", named}}};
  if (found.size() > most_runs_named)
    kept.values["more"] = std::vector{
        Reason{ReasonCode::and_more, {{"more", static_cast<std::int64_t>(found.size() - most_runs_named)}}}};
  return kept;
}

}  // namespace kernel
