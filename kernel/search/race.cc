#include "kernel/search/race.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/designs/block_means.h"

namespace kernel {

namespace {

/// What is known of runs with a value, on the selection's scale and up to one constant.
struct BlockFit {
  std::map<Cell, double> means;
  std::map<std::uint64_t, double> seeds;  ///< By how much its runs are above their cells' means.
};

BlockFit fit_of(const std::vector<CellOutcome>& outcomes) {
  std::map<Cell, std::size_t> cells;
  std::map<std::uint64_t, std::size_t> seeds;
  std::vector<stats::BlockedValue> values;
  for (const CellOutcome& o : outcomes)
    if (o.value)
      values.push_back({cells.try_emplace(o.cell, cells.size()).first->second,
                        seeds.try_emplace(o.seed, seeds.size()).first->second, *o.value});
  const std::vector<double> fitted = stats::block_means(values);
  std::vector<double> above(seeds.size()), count(seeds.size());
  for (const stats::BlockedValue& v : values) {
    above[v.block] += v.value - fitted[v.treatment];
    ++count[v.block];
  }
  BlockFit fit;
  for (const auto& [cell, index] : cells) fit.means[cell] = fitted[index];
  for (const auto& [seed, index] : seeds) fit.seeds[seed] = above[index] / count[index];
  return fit;
}

/// Of every cell with a value: the mean of its runs without what their seeds add, in which a failed run counts as the
/// worst of all runs. Failures do not change what is known of seeds, and so of other cells.
std::map<Cell, double> means_with_worst(double better, const BlockFit& fit, const std::vector<CellOutcome>& outcomes) {
  std::optional<double> worst;
  for (const CellOutcome& o : outcomes) {
    if (!o.value) continue;
    const double own = *o.value - fit.seeds.at(o.seed);
    if (!worst || better * own > better * *worst) worst = own;
  }
  std::map<Cell, std::pair<double, double>> sums;
  for (const CellOutcome& o : outcomes) {
    if (!fit.means.contains(o.cell)) continue;
    auto& [sum, count] = sums[o.cell];
    sum += o.value ? *o.value - fit.seeds.at(o.seed) : *worst;
    ++count;
  }
  std::map<Cell, double> means;
  for (const auto& [cell, sum] : sums) means[cell] = sum.first / sum.second;
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
  // What it did before says nothing of one that only fails now.
  std::set<Cell> alive;
  for (const CellOutcome& o : newest)
    if (o.value) alive.insert(o.cell);
  for (Candidate& c : candidates)
    if (!alive.contains(c.cell)) c.mean.reset();
  std::ranges::stable_partition(candidates, [](const Candidate& c) { return c.mean.has_value(); });
  // A seed that no other run has says nothing of candidates.
  if (spec.design.pairing == Pairing::none) return candidates;
  const double better = metric.goal == Goal::minimize ? 1 : -1;
  const BlockFit fit = fit_of(outcomes);
  const std::map<Cell, double> means = means_with_worst(better, fit, outcomes);
  double above = 0, count = 0;
  for (const CellOutcome& o : newest) {
    if (!o.value) continue;
    above += fit.seeds.at(o.seed);
    ++count;
  }
  const double shift = count > 0 ? above / count : 0;
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
