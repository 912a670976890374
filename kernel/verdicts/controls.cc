#include "kernel/verdicts/controls.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "kernel/domain/cells.h"
#include "kernel/verdicts/verdict_reason.h"
#include "kernel/wording/wording.h"
#include "stats/basics/contrast.h"
#include "stats/basics/descriptive.h"

namespace kernel {

namespace {

constexpr double shown_level = 0.95, alarm = 0.01;

/// Values of the cell's runs with this purpose, by replicate.
std::map<int, double> values_of(const RunBoard& study, const Experiment& experiment, Purpose purpose, int cell,
                                const std::string& metric, int& failed) {
  std::map<int, double> values;
  for (const Run& run : study.runs) {
    if (run.experiment != experiment.registration.experiment || run.purpose != purpose || run.cell != cell) continue;
    if (!run.stage.empty() || run.superseded || !run.ended() || run.state == RunState::lost) continue;
    const auto it = run.measurement.values.find(metric);
    if (run.state != RunState::succeeded)
      ++failed;
    else if (it != run.measurement.values.end() && !it->second.censored && std::isfinite(it->second.value))
      values[run.replicate] = it->second.value;
  }
  return values;
}

void fill(AaResult& result, const std::optional<stats::Contrast>& contrast, double noise) {
  if (!contrast) return;
  result.difference = contrast->estimate;
  result.noise = noise;
  if (contrast->standard_error <= 0) {
    // Without variation, a difference is not due to chance.
    result.low = result.high = contrast->estimate;
    result.differs = contrast->estimate != 0;
    return;
  }
  const stats::Interval interval = stats::interval(*contrast, shown_level);
  result.low = interval.low;
  result.high = interval.high;
  result.p = stats::p_two_sided(*contrast);
  result.differs = *result.p < alarm;
}

}  // namespace

bool author_chose_seeds(const StudySpec& spec) {
  return spec.seeds == SeedRule::fixed && spec.design.settled.empty();
}

std::optional<AaPlan> aa_plan(const StudyTerms& study, const Registration& registration) {
  const Design& design = study.spec.design;
  if (design.sized_beforehand() || design.pilot < 2) return std::nullopt;
  if (study.spec.reported(study.spec.primary()).deterministic) return std::nullopt;
  for (const Hypothesis& h : registration.hypotheses) {
    for (std::size_t c = 0; c < registration.cells.size(); ++c) {
      Cell pattern = h.control;
      pattern.insert(h.where.begin(), h.where.end());
      if (!h.has_arms() || !matches(registration.cells[c], pattern)) continue;
      return AaPlan{registration.cells[c], std::min(design.pilot, registration.replicates[c])};
    }
  }
  if (registration.cells.empty()) return std::nullopt;
  return AaPlan{registration.cells.front(), std::min(design.pilot, registration.replicates.front())};
}

std::optional<AaResult> aa_result(const StudySpec& spec, const RunBoard& board, const Experiment& experiment) {
  const std::optional<AaPlan>& plan = experiment.registration.aa;
  if (!plan) return std::nullopt;
  AaResult result;
  result.metric = spec.reported(spec.primary()).name;
  result.cell = plan->cell;
  const auto number = board.cell_numbers.find(plan->cell);
  if (number == board.cell_numbers.end()) return result;
  int failed_controls = 0;
  const auto controls =
      values_of(board, experiment, Purpose::registered, number->second, result.metric, failed_controls);
  const auto again = values_of(board, experiment, Purpose::aa, number->second, result.metric, result.failed);
  std::vector<double> first, second, all;
  for (const auto& [replicate, value] : controls) all.push_back(value);
  result.mean = stats::mean(all);
  if (experiment.registration.pairing == Pairing::seed && plan->seeds.empty()) {
    for (const auto& [replicate, value] : again)
      if (const auto control = controls.find(replicate); control != controls.end())
        second.push_back(value), first.push_back(control->second);
    result.n = static_cast<int>(second.size());
    const auto contrast = stats::paired_contrast(second, first);
    // The difference has the variance of two runs.
    if (contrast) fill(result, contrast, contrast->standard_error * std::sqrt(static_cast<double>(result.n) / 2));
    return result;
  }
  for (const auto& [replicate, value] : again) second.push_back(value);
  result.n = static_cast<int>(second.size());
  const auto t = stats::moments(second), c = stats::moments(all);
  if (!t || !c || t->n < 2 || c->n < 2) return result;
  const double free = static_cast<double>(t->n + c->n - 2);
  const double pooled =
      (t->variance * static_cast<double>(t->n - 1) + c->variance * static_cast<double>(c->n - 1)) / free;
  const std::vector<stats::Moments> treatment{*t}, control{*c};
  fill(result, stats::independent_contrast(treatment, control), std::sqrt(pooled));
  return result;
}

Reason aa_reason(const StudySpec& spec, const AaResult& r) {
  const Metric* metric = spec.metric(r.metric);
  std::string cell;
  for (const auto& [factor, level] : r.cell) cell += (cell.empty() ? "" : ", ") + factor + "=" + level;
  const bool paired = spec.design.pairing == Pairing::seed && spec.seeds == SeedRule::derived;
  const Reason what{paired ? ReasonCode::aa_in_pairs : ReasonCode::aa_in_runs, {{"cell", cell}, {"n", r.n}}};
  Reason shown{ReasonCode::aa_without_number, {{"what", std::vector{what}}}};
  if (r.failed > 0) shown.values["failed"] = std::vector{Reason{ReasonCode::aa_failed, {{"failed", r.failed}}}};
  if (!r.difference) return shown;
  shown.values["metric"] = r.metric;
  shown.code = r.differs ? ReasonCode::aa_differs : ReasonCode::aa_same;
  if (r.noise && *r.noise == 0 && !r.differs) {
    shown.code = ReasonCode::aa_exactly_same;
    return shown;
  }
  shown.values.insert({{"difference", *r.difference}, {"low", *r.low}, {"high", *r.high}, {"noise", *r.noise}});
  if (metric) add_unit(shown, metric->unit);
  if (r.mean && *r.mean != 0)
    shown.values["share"] =
        std::vector{Reason{ReasonCode::aa_share_of_mean, {{"share", std::abs(*r.noise / *r.mean)}}}};
  return shown;
}

std::string planted_words(const HypothesisResult& r, int wording) {
  const bool found = r.verdict == Verdict::supported;
  const char* warning = wording >= 11 || wording == codes_only
                            ? " An experiment that does not find a known effect may also miss an unknown one."
                            : " An experiment that misses what is known to be there may miss what is not.";
  return std::string("Planted effect: ") + (found ? "found, as it must be. " : "NOT found. ") +
         sentence(r.reason, wording) + (found ? "" : warning);
}

}  // namespace kernel
