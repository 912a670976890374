#include "kernel/evidence/observations.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "kernel/domain/cells.h"

namespace kernel {

namespace {

/// The levels of the factors that the hypothesis does not name.
Cell setting_of(Cell cell, const Hypothesis& h) {
  for (const Cell* named : {&h.treatment, &h.control, &h.where})
    for (const auto& [factor, level] : *named) cell.erase(factor);
  if (h.kind != HypothesisKind::compare) cell.erase(h.along);
  return cell;
}

void add(ObservedCell& cell, const RunValue& run, bool may_be_cut) {
  const bool usable = run.value && std::isfinite(*run.value) && (may_be_cut || !run.censored);
  if (may_be_cut && run.timed_out) {
    cell.values.push_back({run.seed, usable && run.censored ? *run.value : HUGE_VAL, true, run.run});
  } else if (run.failed) {
    cell.failed.push_back({run.seed, run.timed_out});
  } else if (!usable) {
    ++cell.unusable;
  } else {
    cell.values.push_back({run.seed, *run.value, run.censored, run.run});
  }
}

/// Runs that timed out without a value were still running when the longest of the others ended.
void bound_time_outs(std::vector<Setting>& settings) {
  std::vector<ObservedCell::Value*> unknown;
  double longest = 0;
  for (Setting& setting : settings)
    for (std::vector<ObservedCell>* arm : {&setting.treatment, &setting.control})
      for (ObservedCell& cell : *arm)
        for (ObservedCell::Value& v : cell.values) {
          if (std::isfinite(v.value))
            longest = std::max(longest, v.value);
          else
            unknown.push_back(&v);
        }
  for (ObservedCell::Value* v : unknown) v->value = longest;
}

void order_by_seed(std::vector<ObservedCell::Value>& values) {
  std::ranges::stable_sort(values, {}, &ObservedCell::Value::seed);
  const auto repeated = std::ranges::unique(values, {}, &ObservedCell::Value::seed);
  values.erase(repeated.begin(), repeated.end());
}

}  // namespace

bool on_logarithms(const Hypothesis& h, const UnitRules& rules) {
  return h.has_arms() ? rules.logarithms : log_of_metric(h.slope_scale);
}

bool may_be_cut(const Metric& metric) {
  return metric.censor_right || metric.on_nan == OnNan::censor || metric.summary.kind == SummaryKind::time_to;
}

std::vector<const ObservedCell*> cells_in(std::span<const Setting> settings, std::vector<ObservedCell> Setting::*arm) {
  std::vector<const ObservedCell*> cells;
  for (const Setting& setting : settings)
    for (const ObservedCell& cell : setting.*arm) cells.push_back(&cell);
  return cells;
}

std::vector<Setting> observe(const StudySpec& spec, const Hypothesis& h, std::span<const RunValue> runs,
                             const UnitRules& rules) {
  std::vector<Setting> settings;
  std::map<Cell, std::size_t> numbers;
  for (Cell& cell : cells_of(spec, h)) {
    Cell levels = setting_of(cell, h);
    const auto [it, fresh] = numbers.try_emplace(levels, settings.size());
    if (fresh) settings.push_back({std::move(levels), {}, {}});
    Setting& setting = settings[it->second];
    const bool control = h.has_arms() && matches(cell, h.control);
    (control ? setting.control : setting.treatment).push_back({std::move(cell), {}, {}, 0});
  }
  // The cells have their final addresses only now.
  std::map<Cell, ObservedCell*> places;
  for (Setting& setting : settings)
    for (std::vector<ObservedCell>* arm : {&setting.treatment, &setting.control})
      for (ObservedCell& cell : *arm) places.emplace(cell.cell, &cell);

  std::unordered_map<const Cell*, ObservedCell*> seen;
  for (const RunValue& run : runs) {
    const auto [it, fresh] = seen.try_emplace(run.cell, nullptr);
    if (fresh) {
      const auto place = places.find(*run.cell);
      if (place != places.end()) it->second = place->second;
    }
    if (it->second != nullptr) add(*it->second, run, rules.censored);
  }
  for (const auto& [cell, place] : places) order_by_seed(place->values);
  if (rules.censored) bound_time_outs(settings);
  return settings;
}

}  // namespace kernel
