#include "kernel/search/two_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.h"
#include "kernel/domain/cells.h"
#include "kernel/study/search_scores.h"
#include "stats/basics/distributions.h"

namespace kernel {

namespace {

using Pair = stats::TwoValues;

double turn(const Metric& metric) {
  return metric.goal == Goal::minimize ? 1 : -1;
}

/// Both metrics' outcomes of the same runs, turned.
std::vector<std::pair<Cell, Pair>> pairs_of(const Study& study, const std::string& label) {
  const std::array<const Metric*, 2> metrics = both_metrics(study.spec);
  const std::vector<CellOutcome> first = search_outcomes(study, *metrics[0], label),
                                 second = search_outcomes(study, *metrics[1], label);
  std::vector<std::pair<Cell, Pair>> values;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (first[i].value)
      values.emplace_back(first[i].cell,
                          Pair{turn(*metrics[0]) * *first[i].value, turn(*metrics[1]) * *second[i].value});
  return values;
}

std::optional<Pair> estimates_of(const Study& study, const Candidate& c) {
  if (!c.estimate || !c.second_estimate) return std::nullopt;
  const std::array<const Metric*, 2> metrics = both_metrics(study.spec);
  return Pair{turned(*metrics[0], *c.estimate), turned(*metrics[1], *c.second_estimate)};
}

bool beats(const Pair& a, const Pair& b) {
  return a[0] <= b[0] && a[1] <= b[1] && a != b;
}

/// How far a pair lies beyond the limits, in widths of all pairs.
double excess(const std::vector<Pair>& all, const Pair& pair, const Pair& limits) {
  double sum = 0;
  for (const std::size_t j : {0U, 1U}) {
    const auto [low, high] = std::ranges::minmax_element(all, {}, [&](const Pair& p) { return p[j]; });
    const double width = (*high)[j] - (*low)[j];
    sum += std::max(0.0, pair[j] - limits[j]) / (width > 0 ? width : 1);
  }
  return sum;
}

const char* side_of(const Metric& metric) {
  return metric.goal == Goal::minimize ? "at most" : "at least";
}

void add_unit(const Metric& metric, Reason& says, const char* name = "unit") {
  if (!metric.unit.empty()) says.values[name] = metric.unit;
}

// What the confirmation found of a setting that was chosen.

struct Fresh {
  std::vector<double> values;  ///< Turned.
  int without = 0;             ///< Runs that have none, or one that was cut off.

  double mean() const {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
};

Fresh fresh_of(const Study& study, const ExperimentId& experiment, const Cell& cell, const Metric& metric) {
  Fresh fresh;
  for (const Run& run : study.runs) {
    if (run.experiment != experiment || run.purpose != Purpose::registered || !run.stage.empty() || run.superseded)
      continue;
    if (study.cells[static_cast<std::size_t>(run.cell)] != cell) continue;
    const auto value = selection_value(metric, run);
    if (value && !run.measurement.values.at(metric.name).censored)
      fresh.values.push_back(turn(metric) * *value);
    else
      ++fresh.without;
  }
  return fresh;
}

const HypothesisRecord* hypothesis_on(const Study& study, const Cell& cell, const Metric& metric) {
  const auto found = std::ranges::find_if(study.hypotheses, [&](const HypothesisRecord& record) {
    const Hypothesis& h = record.hypothesis;
    Cell own = h.where;
    own.insert(h.treatment.begin(), h.treatment.end());
    return h.metric == metric.name && own == cell;
  });
  return found == study.hypotheses.end() || !found->result ? nullptr : &*found;
}

ReasonCode finding_of(const Metric& metric, const HypothesisRecord& record) {
  const bool asks_better = (record.hypothesis.direction == Direction::less) == (metric.goal == Goal::minimize);
  if (record.result->verdict == Verdict::supported)
    return asks_better ? ReasonCode::found_better : ReasonCode::found_worse;
  if (record.result->verdict == Verdict::refuted)
    return asks_better ? ReasonCode::found_worse : ReasonCode::found_not_worse;
  return ReasonCode::found_open;
}

/// A setting that was confirmed, or not.
struct Confirmed {
  int better = 0;  ///< In how many of the two metrics it is.
  bool keeps_limits = true;
  Reason values;
  std::vector<Reason> limits;
};

/// `level`: of the confidence in each limit.
std::optional<Confirmed> confirmed(const Study& study, const Cell& cell, double level) {
  Confirmed says;
  says.values = {ReasonCode::advice_setting, {{"cell", words_of(cell)}}};
  std::vector<Reason> values;
  for (std::size_t j = 0; j < 2; ++j) {
    const Objective& objective = study.spec.objectives[j];
    const Metric& metric = *study.spec.metric(objective.metric);
    const HypothesisRecord* record = hypothesis_on(study, cell, metric);
    if (!record) return std::nullopt;
    const Fresh own = fresh_of(study, record->experiment, cell, metric);
    const Fresh base = fresh_of(study, record->experiment, *study.search->plan.baseline, metric);
    const ReasonCode finding = finding_of(metric, *record);
    says.better += finding == ReasonCode::found_better ? 1 : 0;
    if (!own.values.empty() && !base.values.empty()) {
      values.push_back({ReasonCode::value_of_setting,
                        {{"metric", metric.name},
                         {"mean", unturned(metric, own.mean())},
                         {"base", unturned(metric, base.mean())},
                         {"hypothesis", record->hypothesis.id.text()},
                         {"finding", std::vector{Reason{finding}}}}});
      add_unit(metric, values.back());
    }
    if (!objective.limit) continue;
    Reason limit = {ReasonCode::advice_limit_unknown, {{"cell", words_of(cell)}, {"metric", metric.name}}};
    if (own.without == 0 && own.values.size() > 1) {
      const double n = static_cast<double>(own.values.size());
      double squares = 0;
      for (const double value : own.values) squares += (value - own.mean()) * (value - own.mean());
      const double bound = own.mean() + stats::t_quantile(level, n - 1) * std::sqrt(squares / (n - 1) / n);
      const bool kept = bound < turned(metric, *objective.limit + turn(metric) * objective.margin) ||
                        (squares == 0 && bound <= turned(metric, *objective.limit));
      limit.code = kept ? ReasonCode::advice_limit_kept : ReasonCode::advice_limit_open;
      limit.values["side"] = side_of(metric);
      limit.values["limit"] = *objective.limit;
      limit.values["level"] = level;
      limit.values["bound"] = unturned(metric, bound);
      add_unit(metric, limit);
    }
    says.keeps_limits = says.keeps_limits && limit.code == ReasonCode::advice_limit_kept;
    says.limits.push_back(std::move(limit));
  }
  says.values.values["values"] = std::move(values);
  return says;
}

void add_answer(const Study& study, const RungRanked& ranked, std::vector<Reason>& advice) {
  std::vector<const Cell*> cells;
  for (const Candidate& c : ranked.candidates)
    if (c.kept) cells.push_back(&c.cell);
  const auto limits =
      std::ranges::count_if(study.spec.objectives, [](const Objective& o) { return o.limit.has_value(); });
  const double tests = static_cast<double>(cells.size()) * static_cast<double>(std::max<std::ptrdiff_t>(1, limits));
  std::vector<Confirmed> found;
  for (const Cell* cell : cells) {
    auto one = confirmed(study, *cell, 1 - study.spec.design.alpha / tests);
    if (!one) return;
    found.push_back(std::move(*one));
  }
  const auto& [first, second] = both_metrics(study.spec);
  bool any = false;
  for (const int better : {2, 1}) {
    const auto fits = [&](const Confirmed& one) { return one.better == better && one.keeps_limits; };
    const std::int64_t number = std::ranges::count_if(found, fits);
    if (number == 0) continue;
    any = true;
    advice.push_back({better == 2 ? ReasonCode::advice_both : ReasonCode::advice_trade,
                      {{"number", number}, {"metric", first->name}, {"second", second->name}}});
    for (const Confirmed& one : found)
      if (fits(one)) advice.push_back(one.values);
  }
  if (!any) {
    const bool beyond = std::ranges::any_of(found, [](const Confirmed& one) { return one.better > 0; });
    advice.push_back({beyond ? ReasonCode::advice_keep_limits : ReasonCode::advice_keep,
                      {{"cell", words_of(*study.search->plan.baseline)}}});
    for (const Confirmed& one : found) advice.push_back(one.values);
  }
  for (const Confirmed& one : found) advice.insert(advice.end(), one.limits.begin(), one.limits.end());
}

}  // namespace

double turned(const Metric& metric, double value) {
  return turn(metric) * (metric.scale == Scale::log ? std::log(std::max(value, 0.0)) : value);
}

double unturned(const Metric& metric, double value) {
  return metric.scale == Scale::log ? std::exp(turn(metric) * value) : turn(metric) * value;
}

std::array<const Metric*, 2> both_metrics(const StudySpec& spec) {
  ETUDE_ASSERT(spec.objectives.size() == 2);
  return {spec.metric(spec.objectives[0].metric), spec.metric(spec.objectives[1].metric)};
}

stats::TwoValues limits_of(const StudySpec& spec) {
  Pair limits;
  for (std::size_t j = 0; j < 2; ++j) {
    const Objective& objective = spec.objectives.at(j);
    limits[j] = objective.limit ? turned(*spec.metric(objective.metric), *objective.limit)
                                : std::numeric_limits<double>::infinity();
  }
  return limits;
}

std::optional<stats::TwoValues> reference_point(const Study& study) {
  std::vector<std::pair<Cell, Pair>> values = pairs_of(study, rung_label(1));
  if (values.empty()) values = pairs_of(study, "");
  if (values.empty()) return std::nullopt;
  Pair worst = values.front().second;
  for (const auto& [cell, pair] : values)
    for (std::size_t j = 0; j < 2; ++j) worst[j] = std::max(worst[j], pair[j]);
  return worst;
}

std::optional<Covered> covered(const Study& study) {
  if (!study.search || study.spec.objectives.size() != 2) return std::nullopt;
  const std::optional<Pair> reference = reference_point(study);
  if (!reference) return std::nullopt;
  Covered area;
  area.reference = *reference;
  struct Sum {
    Pair sum = {0, 0};
    int n = 0;
  };
  std::map<Cell, Sum> sums;
  for (const RungRanked& rung : study.search->ranked) {
    for (const auto& [cell, pair] : pairs_of(study, rung_label(rung.rung))) {
      Sum& own = sums[cell];
      ++own.n;
      for (std::size_t j = 0; j < 2; ++j) own.sum[j] += pair[j];
    }
    std::vector<Pair> means;
    for (const auto& [cell, own] : sums) means.push_back({own.sum[0] / own.n, own.sum[1] / own.n});
    area.after.push_back(stats::hypervolume(means, *reference));
  }
  return area;
}

std::vector<std::size_t> choice(const StudySpec& spec, const std::vector<stats::TwoValues>& expected,
                                const std::vector<stats::TwoValues>& held, const stats::TwoValues& reference,
                                std::size_t count) {
  if (expected.empty() || count == 0) return {};
  const Pair limits = limits_of(spec);
  std::vector<std::size_t> eligible;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i][0] <= limits[0] && expected[i][1] <= limits[1]) eligible.push_back(i);
  if (eligible.empty()) {
    for (std::size_t i = 0; i < expected.size(); ++i) eligible.push_back(i);
    std::ranges::stable_sort(eligible, {}, [&](std::size_t i) { return excess(expected, expected[i], limits); });
    eligible.resize(std::min(count, eligible.size()));
    return eligible;
  }
  std::vector<Pair> points;
  for (const std::size_t i : eligible) points.push_back(expected[i]);
  std::vector<std::size_t> taken = stats::widest(points, held, reference, count);
  // Nothing is expected to add to the baseline: the widest alone is confirmed.
  if (taken.empty()) taken = stats::widest(points, {}, reference, 1);
  if (taken.empty()) taken = {static_cast<std::size_t>(std::ranges::min_element(points) - points.begin())};
  for (std::size_t& i : taken) i = eligible[i];
  return taken;
}

void keep_choice(const Study& study, std::size_t count, std::vector<Candidate>& candidates) {
  std::vector<std::size_t> places;
  std::vector<Pair> points, held, all;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::optional<Pair> expected = estimates_of(study, candidates[i]);
    if (!expected) continue;
    all.push_back(*expected);
    if (candidates[i].baseline) {
      held.push_back(*expected);
      continue;
    }
    places.push_back(i);
    points.push_back(*expected);
  }
  std::map<Cell, std::size_t> order;
  if (const auto reference = reference_point(study))
    for (const std::size_t i : choice(study.spec, points, held, *reference, count)) {
      candidates[places[i]].kept = true;
      order.emplace(candidates[places[i]].cell, order.size());
    }
  std::ranges::stable_sort(candidates, {}, [&](const Candidate& c) {
    const std::optional<Pair> expected = estimates_of(study, c);
    const std::size_t kept = c.kept ? order.at(c.cell) : order.size();
    const auto beaten = expected ? std::ranges::count_if(all, [&](const Pair& p) { return beats(p, *expected); }) : 0;
    return std::tuple(kept, !expected, beaten, expected ? (*expected)[0] : 0.0);
  });
}

std::vector<Reason> advice_of_two(const Study& study) {
  std::vector<Reason> advice;
  const RungRanked& ranked = study.search->ranked.back();
  const bool judged =
      std::ranges::all_of(study.hypotheses, [](const auto& record) { return record.result.has_value(); });
  if (judged && !study.hypotheses.empty()) add_answer(study, ranked, advice);
  const Pair limits = limits_of(study.spec);
  const auto within = [&](const Candidate& c) {
    const std::optional<Pair> expected = estimates_of(study, c);
    return expected && (*expected)[0] <= limits[0] && (*expected)[1] <= limits[1];
  };
  if (std::ranges::none_of(ranked.candidates, [&](const Candidate& c) { return !c.baseline && within(c); }))
    advice.push_back({ReasonCode::advice_none_within});
  const std::optional<Covered> area = covered(study);
  if (!area) return advice;
  const auto& [first, second] = both_metrics(study.spec);
  const bool of_all = study.wording >= 10 || study.wording == codes_only;
  Reason says = {of_all ? ReasonCode::advice_covered : ReasonCode::advice_hypervolume,
                 {{"metric", first->name},
                  {"first", unturned(*first, area->reference[0])},
                  {"second", second->name},
                  {"other", unturned(*second, area->reference[1])},
                  {"last", area->after.back()},
                  {"start", area->after.front()}}};
  add_unit(*first, says);
  add_unit(*second, says, "second_unit");
  advice.push_back(std::move(says));
  return advice;
}

std::vector<Reason> limits_in_words(const StudySpec& spec) {
  std::vector<Reason> words;
  for (const Objective& objective : spec.objectives) {
    if (!objective.limit) continue;
    const Metric& metric = *spec.metric(objective.metric);
    Reason says = {ReasonCode::limit_of_metric,
                   {{"metric", metric.name}, {"side", side_of(metric)}, {"limit", *objective.limit}}};
    add_unit(metric, says);
    if (objective.margin > 0) {
      Reason margin = {ReasonCode::margin_of_limit, {{"margin", objective.margin}}};
      add_unit(metric, margin);
      says.values["margin"] = std::vector{std::move(margin)};
    }
    words.push_back(std::move(says));
  }
  return words;
}

}  // namespace kernel
