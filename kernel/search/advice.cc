#include "kernel/search/advice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

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

/// A value of a factor, and how many runs with it failed or gave a value.
struct Outcomes {
  std::string text;
  std::int64_t failed = 0, usable = 0;
};

void add_where(ReasonCode code, const Factor& factor, const std::string& value, std::int64_t number,
               std::vector<Reason>& advice) {
  constexpr std::int64_t fewest = 3;
  if (number >= fewest) advice.push_back({code, {{"number", number}, {"factor", factor.name}, {"value", value}}});
}

/// Values of a factor with which no run succeeded: beyond a number, or a level.
void add_failures(const Study& study, std::vector<Reason>& advice) {
  for (const Factor* factor : searched_factors(study.spec)) {
    std::map<std::string, Outcomes> by_level;
    for (const Run& run : study.runs) {
      if (run.purpose != Purpose::search || run.superseded || !is_end(run.state)) continue;
      if (run.state == RunState::cancelled || run.state == RunState::lost) continue;
      if (run.state == RunState::succeeded && !run.stage.empty()) continue;
      const std::string& level = study.cells[static_cast<std::size_t>(run.cell)].at(factor->name);
      Outcomes& outcomes = by_level[level];
      outcomes.text = level;
      ++(run.state == RunState::succeeded ? outcomes.usable : outcomes.failed);
    }
    const auto is_useless = [](const Outcomes& one) { return one.usable == 0; };
    if (!factor->range && !is_numeric(*factor)) {
      for (const auto& [level, outcomes] : by_level)
        if (is_useless(outcomes)) add_where(ReasonCode::advice_failures_at, *factor, level, outcomes.failed, advice);
      continue;
    }
    std::map<double, Outcomes> by_value;
    for (const auto& [level, outcomes] : by_level)
      by_value[factor->range ? number_of(level) : *factor->level(level)->value.number] = outcomes;
    std::vector<Outcomes> in_order;
    for (const auto& [value, outcomes] : by_value) in_order.push_back(outcomes);
    if (std::ranges::all_of(in_order, is_useless)) continue;
    const auto failed = [](std::int64_t sum, const Outcomes& one) { return sum + one.failed; };
    const auto low = std::ranges::find_if_not(in_order, is_useless);
    const auto high = std::find_if_not(in_order.rbegin(), in_order.rend(), is_useless).base();
    if (high != in_order.end())
      add_where(ReasonCode::advice_failures_above, *factor, high->text,
                std::accumulate(high, in_order.end(), std::int64_t{0}, failed), advice);
    if (low != in_order.begin())
      add_where(ReasonCode::advice_failures_below, *factor, std::prev(low)->text,
                std::accumulate(in_order.begin(), low, std::int64_t{0}, failed), advice);
  }
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

/// Since wording 10 useless values of factors are named, and no candidate is said to be as good as one that is not
/// used.
bool is_at_least_10(int wording) {
  return wording >= 10 || wording == codes_only;
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
  const bool keeps_baseline = !advice.empty() && advice.front().code == ReasonCode::advice_keep;
  if (!keeps_baseline || !is_at_least_10(study.wording)) add_ties(metric, *ranked, *best, advice);
  if (is_at_least_10(study.wording)) add_failures(study, advice);
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
