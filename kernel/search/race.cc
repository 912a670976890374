#include "kernel/search/race.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/designs/block_means.h"

namespace kernel {

namespace {

/// Failed runs with the worst value of all. Empty if no run has a value.
std::vector<CellOutcome> with_worst(const Metric& metric, std::vector<CellOutcome> outcomes) {
  const double better = metric.goal == Goal::minimize ? 1 : -1;
  std::optional<double> worst;
  for (const CellOutcome& o : outcomes)
    if (o.value && (!worst || better * *o.value > better * *worst)) worst = o.value;
  if (!worst) return {};
  for (CellOutcome& o : outcomes)
    if (!o.value) o.value = worst;
  return outcomes;
}

/// Of every cell, on the selection's scale and up to one constant.
std::map<Cell, double> means_over_blocks(const std::vector<CellOutcome>& outcomes) {
  std::map<Cell, std::size_t> cells;
  std::map<std::uint64_t, std::size_t> seeds;
  std::vector<stats::BlockedValue> values;
  for (const CellOutcome& o : outcomes)
    values.push_back({cells.try_emplace(o.cell, cells.size()).first->second,
                      seeds.try_emplace(o.seed, seeds.size()).first->second, *o.value});
  const std::vector<double> fitted = stats::block_means(values);
  std::map<Cell, double> means;
  for (const auto& [cell, index] : cells) means[cell] = fitted[index];
  return means;
}

}  // namespace

RungRanking ranking_of(const SearchPlan& plan) {
  return plan.rule.code == ReasonCode::rule_of_race ? RungRanking::all_runs : RungRanking::own_runs;
}

Reason rule_of_race(const SearchPlan& plan, const std::string& better, const std::vector<Reason>& best) {
  const Reason runs = plan.fidelity.empty() ? Reason{ReasonCode::all_runs_so_far}
                                            : Reason{ReasonCode::all_runs_at_fidelity, {{"fidelity", plan.fidelity}}};
  const Reason left = plan.top == 1 ? Reason{ReasonCode::one_left} : Reason{ReasonCode::few_left, {{"most", plan.top}}};
  return {ReasonCode::rule_of_race,
          {{"share", plan.eta},
           {"metric", plan.metric},
           {"better", better},
           {"runs", std::vector{runs}},
           {"left", std::vector{left}},
           {"best", best}}};
}

std::vector<Candidate> by_all_runs(const StudySpec& spec, const Metric& metric, std::vector<Candidate> candidates,
                                   const std::vector<CellOutcome>& outcomes, const std::vector<CellOutcome>& newest) {
  candidates = best_first(metric, std::move(candidates), outcomes);
  // A seed that no other run has says nothing of candidates.
  if (spec.design.pairing == Pairing::none) return candidates;
  const std::vector<CellOutcome> valued = with_worst(metric, outcomes);
  const std::map<Cell, double> means = means_over_blocks(valued);
  std::set<std::uint64_t> seeds;
  for (const CellOutcome& o : newest) seeds.insert(o.seed);
  double above = 0, count = 0;
  for (const CellOutcome& o : valued)
    if (seeds.contains(o.seed)) {
      above += *o.value - means.at(o.cell);
      ++count;
    }
  const double shift = count > 0 ? above / count : 0, better = metric.goal == Goal::minimize ? 1 : -1;
  std::map<Cell, double> score;
  for (Candidate& c : candidates) {
    if (!c.mean) continue;
    const double mean = means.at(c.cell) + shift;
    score[c.cell] = better * mean;
    c.mean = metric.scale == Scale::log ? std::exp(mean) : mean;
  }
  std::ranges::stable_sort(candidates, {},
                           [&](const Candidate& c) { return std::pair(!c.mean, c.mean ? score.at(c.cell) : 0.0); });
  return candidates;
}

std::vector<Cell> best_dropped(const Search& search, std::size_t count, const std::set<Cell>& without) {
  std::vector<Cell> cells;
  std::set<Cell> taken = without;
  for (auto ranked = search.ranked.rbegin(); ranked != search.ranked.rend(); ++ranked)
    for (const Candidate& c : ranked->candidates)
      if (cells.size() < count && !c.baseline && c.mean && taken.insert(c.cell).second) cells.push_back(c.cell);
  return cells;
}

}  // namespace kernel
