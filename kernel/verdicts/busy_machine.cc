#include "kernel/verdicts/busy_machine.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernel/domain/cells.h"
#include "kernel/inference/estimate.h"

namespace kernel {

namespace {

const std::map<std::string, double>& time_units() {
  static const std::map<std::string, double> units{{"ns", 1e-9},   {"us", 1e-6},   {"µs", 1e-6},   {"μs", 1e-6},
                                                   {"ms", 1e-3},   {"s", 1},       {"sec", 1},     {"second", 1},
                                                   {"seconds", 1}, {"min", 60},    {"minute", 60}, {"minutes", 60},
                                                   {"h", 3600},    {"hour", 3600}, {"hours", 3600}};
  return units;
}

bool tells_time(const Metric& metric) {
  const std::size_t per = std::min(metric.unit.find('/'), metric.unit.size());
  return metric.type == MetricType::time || time_units().contains(metric.unit.substr(0, per)) ||
         (per < metric.unit.size() && time_units().contains(metric.unit.substr(per + 1)));
}

}  // namespace

std::optional<double> seconds_of(const std::string& unit) {
  const auto known = time_units().find(unit);
  return known == time_units().end() ? std::nullopt : std::optional(known->second);
}

bool is_timing(const StudySpec& spec, const Metric& metric) {
  return tells_time(metric) || tells_time(spec.reported(metric));
}

Reason busy_warning(const Study& study, const Experiment& experiment, const Hypothesis& h) {
  const auto about_time = [&](const Metric& m) { return is_about(h, m.name) && is_timing(study.spec, m); };
  if (std::none_of(study.spec.metrics.begin(), study.spec.metrics.end(), about_time)) return {};
  std::set<Cell> cells;
  for (Cell& cell : cells_of(study.spec, h)) cells.insert(std::move(cell));
  int runs = 0, treatment = 0, control = 0;
  for (const Run& run : study.runs) {
    if (run.experiment != experiment.registration.experiment || !run.evidence()) continue;
    const Cell& cell = study.cells[static_cast<std::size_t>(run.cell)];
    if (!cells.contains(cell)) continue;
    ++runs;
    if (was_busy(run.outcome.usage)) ++(h.has_arms() && matches(cell, h.control) ? control : treatment);
  }
  if (treatment + control == 0) return {};
  Reason busy{ReasonCode::busy_machine, {{"busy", treatment + control}, {"runs", runs}}};
  if (h.has_arms())
    busy.values["arms"] =
        std::vector{Reason{ReasonCode::busy_by_arm, {{"treatment", treatment}, {"control", control}}}};
  return busy;
}

}  // namespace kernel
