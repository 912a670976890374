#include "kernel/evidence/derived_metrics.h"

#include <algorithm>
#include <set>

#include "kernel/domain/cells.h"

namespace kernel {

namespace {

std::optional<MetricValue> measured(const Run& run, const std::string& metric) {
  const auto it = run.measurement.values.find(metric);
  return it == run.measurement.values.end() ? std::nullopt : std::optional(it->second);
}

MetricValue against(const MetricValue& own, const MetricValue& other, bool ratio) {
  const bool number = !other.censored && !other.worst && !own.worst && !(ratio && own.censored && other.value <= 0);
  if (!number) return {std::nan(""), own.censored || other.censored, own.worst || other.worst};
  return {ratio ? own.value / other.value : own.value - other.value, own.censored, false};
}

}  // namespace

Cell reference_of(const Derived& derived, Cell cell) {
  for (const auto& [factor, level] : derived.relative_to) cell[factor] = level;
  return cell;
}

std::vector<Cell> cells_to_run(const StudySpec& spec, const Hypothesis& h) {
  std::vector<Cell> cells = cells_of(spec, h);
  std::set<Cell> seen(cells.begin(), cells.end());
  const std::size_t own = cells.size();
  for (const Metric& metric : spec.metrics) {
    if (!metric.derived || !is_about(h, metric.name)) continue;
    for (std::size_t i = 0; i < own; ++i)
      if (Cell reference = reference_of(*metric.derived, cells[i]); seen.insert(reference).second)
        cells.push_back(std::move(reference));
  }
  return cells;
}

RunValues::RunValues(const StudySpec& spec, const RunBoard& board) : board_(board) {
  if (std::ranges::none_of(spec.metrics, [](const Metric& m) { return m.derived.has_value(); })) return;
  for (const Run& run : board.runs)
    if (run.stage.empty() && !run.superseded && run.ended())
      runs_[{run.experiment, static_cast<int>(run.purpose), run.cell, run.seed}] = &run;
}

const Run* RunValues::reference(const Run& run, const Derived& derived) const {
  const Cell cell = reference_of(derived, board_.cells[static_cast<std::size_t>(run.cell)]);
  const auto number = board_.cell_numbers.find(cell);
  if (number == board_.cell_numbers.end()) return nullptr;
  const auto it = runs_.find({run.experiment, static_cast<int>(run.purpose), number->second, run.seed});
  return it == runs_.end() ? nullptr : it->second;
}

std::optional<MetricValue> RunValues::of(const Run& run, const Metric& metric) const {
  if (!metric.derived) return measured(run, metric.name);
  const Run* other = reference(run, *metric.derived);
  const auto own = measured(run, metric.derived->from);
  const auto base = other ? measured(*other, metric.derived->from) : std::nullopt;
  return own && base ? std::optional(against(*own, *base, metric.derived->ratio)) : std::nullopt;
}

bool RunValues::failed(const Run& run, const Metric& metric) const {
  if (run.state != RunState::succeeded) return true;
  const Run* other = metric.derived ? reference(run, *metric.derived) : nullptr;
  return other && other->state != RunState::succeeded;
}

}  // namespace kernel
