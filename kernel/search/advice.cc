#include "kernel/search/advice.h"

#include <algorithm>
#include <cmath>

#include "kernel/domain/cells.h"
#include "kernel/domain/reason.h"
#include "kernel/search/keep_or_discard.h"
#include "kernel/search/search_space.h"
#include "kernel/search/two_metrics.h"
#include "kernel/sizing/size_of_confirmation.h"
#include "kernel/study/search_scores.h"

namespace kernel {

namespace {

constexpr double at_the_end = 0.005;  // Share of a range.

double on_scale(const Metric& metric, double estimate) {
  return metric.scale == Scale::log ? std::log(estimate) : estimate;
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

/// Whether the model tells the best from the baseline, by the rule of `add_ties`. Without estimates of both nothing
/// speaks against the best.
bool beats_baseline(const Study& study, const RungRanked& ranked, const Candidate& best) {
  const std::optional<ExpectedGain> expected = expected_gain(study);
  if (!expected) return true;
  const auto baseline = std::ranges::find_if(ranked.candidates, &Candidate::baseline);
  const double sd = std::hypot(best.estimate_sd.value_or(0), baseline->estimate_sd.value_or(0));
  return expected->on_scale > 0 && expected->on_scale >= 2 * sd;
}

/// Since wording 9 nothing is advised where the confirmation has no test, and no forecast is given once it has one.
bool told_apart(int wording) {
  return wording >= 9 || wording == codes_only;
}

bool all_judged(const Study& study) {
  return !study.hypotheses.empty() &&
         std::ranges::all_of(study.hypotheses, [](const auto& record) { return record.result.has_value(); });
}

/// Precondition: all are judged.
bool none_was_tested(const Study& study) {
  return std::ranges::none_of(study.hypotheses, [](const auto& record) { return record.result->p.has_value(); });
}

/// Once the confirmation has its verdicts: which setting to use.
void add_answer(const Study& study, std::vector<Reason>& advice) {
  if (!all_judged(study)) return;
  const auto won = std::ranges::find_if(
      study.hypotheses, [](const auto& record) { return record.result->verdict == Verdict::supported; });
  if (won == study.hypotheses.end()) {
    if (told_apart(study.wording) && none_was_tested(study)) {
      advice.push_back({ReasonCode::advice_unjudged});
      return;
    }
    advice.push_back({ReasonCode::advice_keep, {{"cell", words_of(*study.search->plan.baseline)}}});
    return;
  }
  const Hypothesis& h = won->hypothesis;
  Cell cell = h.where;
  for (const auto& [factor, level] : h.treatment) cell[factor] = level;
  advice.push_back({ReasonCode::advice_use, {{"cell", words_of(cell)}, {"hypothesis", h.id.text()}}});
}

}  // namespace

std::vector<Reason> search_advice(const Study& study) {
  std::vector<Reason> advice;
  if (study.search && study.search->plan.design == SearchDesign::keep_or_discard) {
    if (keeps_original(study))
      advice.push_back({ReasonCode::advice_keep, {{"cell", words_of(*study.search->plan.baseline)}}});
    else
      add_answer(study, advice);
    return advice;
  }
  const RungRanked* ranked = last_ranking(study);
  const Candidate* best = ranked ? best_kept(*ranked) : nullptr;
  if (!best) return advice;
  if (!study.spec.objectives.empty()) return advice_of_two(study);
  const SearchPlan& plan = study.search->plan;
  add_answer(study, advice);
  // Beyond the end of a range on which nothing is better, nothing better is to be expected.
  const bool says_every_end = study.wording < 8 && study.wording != codes_only;
  if (says_every_end || beats_baseline(study, *ranked, *best)) add_ends(study.spec, *best, advice);
  const Metric& metric = *study.spec.metric(plan.metric);
  add_ties(metric, *ranked, *best, advice);
  if (told_apart(study.wording) && all_judged(study)) return advice;
  const std::optional<ExpectedGain> expected = expected_gain(study);
  if (!expected) return advice;
  const int n =
      study.sized && !study.sized->sizes.empty() ? study.sized->sizes.front().replicates : plan.confirm_replicates;
  if (expected->gain <= 0) {
    advice.push_back({ReasonCode::advice_no_gain});
  } else if (const auto power = confirmation_power(study, *expected, n)) {
    Reason says = {ReasonCode::advice_power, {{"gain", expected->gain}, {"replicates", n}, {"power", *power}}};
    if (!metric.unit.empty()) says.values["unit"] = metric.unit;
    advice.push_back(std::move(says));
  }
  return advice;
}

}  // namespace kernel
