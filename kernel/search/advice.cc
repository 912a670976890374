#include "kernel/search/advice.h"

#include <algorithm>
#include <cmath>

#include "kernel/domain/cells.h"
#include "kernel/search/search_space.h"
#include "kernel/study/search_scores.h"
#include "stats/error_rates/t_test_power.h"

namespace kernel {

namespace {

constexpr double at_the_end = 0.005;  // Share of a range.
constexpr int enough_df = 3;

const RungRanked* last_ranking(const Study& study) {
  if (!study.search || study.search->plan.design != SearchDesign::model || !study.search->done()) return nullptr;
  return &study.search->ranked.back();
}

/// Variance of runs of one setting on the selection's scale, pooled over settings, and its degrees of freedom.
std::pair<double, int> spread_of_repeats(const Study& study, const Metric& metric) {
  std::map<int, std::vector<double>> values;
  for (const Run& run : study.runs)
    if (run.purpose == Purpose::search && run.stage.empty() && !run.superseded)
      if (const auto value = selection_value(metric, run)) values[run.cell].push_back(*value);
  double squares = 0;
  int df = 0;
  for (const auto& [cell, own] : values) {
    double mean = 0;
    for (const double value : own) mean += value / static_cast<double>(own.size());
    for (const double value : own) squares += (value - mean) * (value - mean);
    df += static_cast<int>(own.size()) - 1;
  }
  return {df > 0 ? squares / df : 0, df};
}

double on_scale(const Metric& metric, double estimate) {
  return metric.scale == Scale::log ? std::log(estimate) : estimate;
}

const Candidate* best_of(const RungRanked& ranked) {
  const auto found = std::ranges::find_if(ranked.candidates, &Candidate::kept);
  return found == ranked.candidates.end() ? nullptr : &*found;
}

void add_ends(const StudySpec& spec, const Candidate& best, std::vector<Reason>& advice) {
  for (const Factor* factor : searched_factors(spec)) {
    const std::string& level = best.cell.at(factor->name);
    bool end = false;
    if (factor->range) {
      const double share = range_share(*factor, number_of(level));
      end = share < at_the_end || share > 1 - at_the_end;
    } else if (is_numeric(*factor) && factor->levels.size() > 2) {
      const double value = *factor->level(level)->value.number;
      const auto beyond = [&](auto further) {
        return std::ranges::any_of(factor->levels, [&](const Level& l) { return further(*l.value.number, value); });
      };
      end = !beyond(std::less<>()) || !beyond(std::greater<>());
    }
    if (end) advice.push_back({ReasonCode::advice_edge, {{"factor", factor->name}, {"value", level}}});
  }
}

void add_ties(const Metric& metric, const RungRanked& ranked, const Candidate& best, std::vector<Reason>& advice) {
  if (!best.estimate || !best.estimate_sd) return;
  std::int64_t alike = 0;
  for (const Candidate& c : ranked.candidates) {
    if (&c == &best || c.baseline || !c.estimate || !c.estimate_sd) continue;
    const double by = std::abs(on_scale(metric, *c.estimate) - on_scale(metric, *best.estimate));
    alike += by < 2 * std::hypot(*c.estimate_sd, *best.estimate_sd) ? 1 : 0;
  }
  if (alike > 0) advice.push_back({ReasonCode::advice_tie, {{"number", alike}}});
}

}  // namespace

std::optional<ExpectedGain> expected_gain(const Study& study) {
  const RungRanked* ranked = last_ranking(study);
  const Candidate* best = ranked ? best_of(*ranked) : nullptr;
  if (!best || !best->estimate) return std::nullopt;
  const auto baseline = std::ranges::find_if(ranked->candidates, &Candidate::baseline);
  if (baseline == ranked->candidates.end() || !baseline->estimate) return std::nullopt;
  const SearchPlan& plan = study.search->plan;
  const Metric& metric = *study.spec.metric(plan.metric);
  const double better = plan.goal == Goal::minimize ? 1 : -1;
  ExpectedGain expected{better * (*baseline->estimate - *best->estimate), std::nullopt};
  const auto [variance, df] = spread_of_repeats(study, metric);
  if (df < enough_df || variance <= 0 || expected.gain <= 0) return expected;
  const double on_log = better * (on_scale(metric, *baseline->estimate) - on_scale(metric, *best->estimate));
  const int n = plan.confirm_replicates;
  // Pairs by seed are taken to be no more alike than any two runs, which is cautious.
  const bool paired = study.spec.design.pairing == Pairing::seed;
  expected.power = stats::t_power(on_log / std::sqrt(2 * variance / n), paired ? n - 1 : 2 * n - 2,
                                  study.spec.design.alpha / plan.top, stats::Sides::one);
  return expected;
}

std::vector<Reason> search_advice(const Study& study) {
  std::vector<Reason> advice;
  const RungRanked* ranked = last_ranking(study);
  const Candidate* best = ranked ? best_of(*ranked) : nullptr;
  if (!best) return advice;
  const SearchPlan& plan = study.search->plan;
  const bool judged =
      std::ranges::all_of(study.hypotheses, [](const auto& record) { return record.result.has_value(); });
  if (judged && !study.hypotheses.empty()) {
    const auto won = std::ranges::find_if(
        study.hypotheses, [](const auto& record) { return record.result->verdict == Verdict::supported; });
    if (won == study.hypotheses.end()) {
      advice.push_back({ReasonCode::advice_keep, {{"cell", words_of(*plan.baseline)}}});
    } else {
      const Hypothesis& h = won->hypothesis;
      Cell cell = h.where;
      for (const auto& [factor, level] : h.treatment) cell[factor] = level;
      advice.push_back({ReasonCode::advice_use, {{"cell", words_of(cell)}, {"hypothesis", h.id.text()}}});
    }
  }
  add_ends(study.spec, *best, advice);
  const Metric& metric = *study.spec.metric(plan.metric);
  add_ties(metric, *ranked, *best, advice);
  if (const auto expected = expected_gain(study)) {
    if (expected->gain <= 0)
      advice.push_back({ReasonCode::advice_no_gain});
    else if (expected->power) {
      Reason power = {ReasonCode::advice_power,
                      {{"gain", expected->gain}, {"replicates", plan.confirm_replicates}, {"power", *expected->power}}};
      if (!metric.unit.empty()) power.values["unit"] = metric.unit;
      advice.push_back(std::move(power));
    }
  }
  return advice;
}

}  // namespace kernel
