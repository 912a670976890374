#include "kernel/search_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace kernel {

std::optional<double> selection_value(const Metric& metric, const Run& run) {
  const auto at = run.measurement.values.find(metric.name);
  if (run.state != RunState::succeeded || at == run.measurement.values.end() || at->second.worst) return std::nullopt;
  const double value = metric.scale == Scale::log ? std::log(at->second.value) : at->second.value;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::vector<Candidate> best_first(const Metric& metric, std::vector<Candidate> candidates,
                                  const std::vector<CellOutcome>& outcomes) {
  const double better = metric.goal == Goal::minimize ? 1 : -1;
  std::optional<double> worst;
  for (const CellOutcome& o : outcomes)
    if (o.value && (!worst || better * *o.value > better * *worst)) worst = o.value;
  std::map<Cell, std::vector<const CellOutcome*>> by_cell;
  for (const CellOutcome& o : outcomes) by_cell[o.cell].push_back(&o);
  std::vector<std::pair<double, Candidate>> scored;
  for (Candidate& c : candidates) {
    double sum = 0, own = 0, squares = 0;
    for (const CellOutcome* o : by_cell[c.cell]) {
      ++(o->value ? c.n : c.failed);
      sum += o->value.value_or(worst.value_or(0));
      own += o->value.value_or(0);
    }
    double score = std::numeric_limits<double>::infinity();
    if (c.n > 0) {
      const double mean = sum / (c.n + c.failed);
      c.mean = metric.scale == Scale::log ? std::exp(mean) : mean;
      score = better * mean;
      for (const CellOutcome* o : by_cell[c.cell])
        if (o->value) squares += (*o->value - own / c.n) * (*o->value - own / c.n);
      if (c.n > 1 && metric.scale != Scale::log) c.sd = std::sqrt(squares / (c.n - 1));
    }
    scored.emplace_back(score, std::move(c));
  }
  std::stable_sort(scored.begin(), scored.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  candidates.clear();
  for (auto& [score, candidate] : scored) candidates.push_back(std::move(candidate));
  return candidates;
}

}  // namespace kernel
