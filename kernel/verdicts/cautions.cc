#include "kernel/verdicts/cautions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "kernel/domain/cells.h"
#include "kernel/runs/run_outcome.h"
#include "kernel/verdicts/verdict_reason.h"
#include "stats/basics/descriptive.h"
#include "stats/diagnostics/sample_checks.h"

namespace kernel {

namespace {

/// Counts runs of a hypothesis's cells, per arm.
class ArmCount {
 public:
  ArmCount(const StudySpec& spec, const RunBoard& board, const Hypothesis& h) : board_(board), h_(h) {
    for (Cell& cell : cells_of(spec, h)) cells_.insert(std::move(cell));
  }
  bool has(const Run& run) const { return cells_.contains(cell_of(run)); }
  void add(const Run& run) { ++(h_.has_arms() && matches(cell_of(run), h_.control) ? control_ : treatment_); }
  int all() const { return treatment_ + control_; }
  /// Adds the counts of the two arms as `arms`, if the hypothesis has arms.
  void describe(Reason& reason, ReasonCode by_arm) const {
    if (h_.has_arms())
      reason.values["arms"] = std::vector{Reason{by_arm, {{"treatment", treatment_}, {"control", control_}}}};
  }

 private:
  const Cell& cell_of(const Run& run) const { return board_.cells[static_cast<std::size_t>(run.cell)]; }

  const RunBoard& board_;
  const Hypothesis& h_;
  std::set<Cell> cells_;
  int treatment_ = 0, control_ = 0;
};

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

constexpr std::size_t fewest_values = 5, most_runs_named = 5;

void add_outliers(const ObservedCell& cell, bool log, std::vector<OutlyingValue>& found) {
  if (cell.values.size() < fewest_values) return;
  std::vector<double> plain, tested;
  for (const auto& v : cell.values) {
    if (v.censored || (log && v.value <= 0)) return;
    plain.push_back(v.value);
    tested.push_back(log ? std::log(v.value) : v.value);
  }
  const auto scores = stats::modified_z_scores(tested);
  if (!scores) return;
  const double noise = stats::standard_deviation(plain).value_or(0);
  for (std::size_t i = 0; i < scores->size(); ++i)
    if (std::abs((*scores)[i]) > stats::far_out) found.push_back({cell.values[i].run, plain[i], noise, (*scores)[i]});
}

constexpr double drift_level = 0.01;
constexpr std::size_t fewest_in_order = 8;

struct Value {
  double started_ms = 0, number = 0;
  std::uint64_t unit = 0;  ///< The seed if cells share seeds, else the run.
  int cell = 0;
  double value = 0;
};

std::vector<Value> values_of_runs(const StudySpec& spec, const RunBoard& board, const Experiment& experiment,
                                  const std::string& metric) {
  const bool by_seed = spec.design.pairing == Pairing::seed;
  std::vector<Value> values;
  for (const Run& run : board.runs) {
    if (run.experiment != experiment.registration.experiment || !run.evidence() || run.state != RunState::succeeded)
      continue;
    const auto found = run.measurement.values.find(metric);
    if (found == run.measurement.values.end() || found->second.censored || found->second.worst) continue;
    if (!std::isfinite(found->second.value) || !run.cached_from.empty()) continue;
    const std::uint64_t unit = by_seed ? run.seed : static_cast<std::uint64_t>(run.number);
    values.push_back(
        {static_cast<double>(run.started_ms), static_cast<double>(run.number), unit, run.cell, found->second.value});
  }
  return values;
}

/// The mean residual of each unit, in standard deviations of its cells, in the order of the units' mean starts.
std::vector<double> residuals_in_order(const std::vector<Value>& values) {
  std::map<int, std::vector<double>> cells;
  for (const Value& v : values) cells[v.cell].push_back(v.value);
  std::map<int, stats::Moments> moments;
  for (const auto& [cell, list] : cells)
    if (const auto m = stats::moments(list); m && m->n >= 2 && m->variance > 0) moments[cell] = *m;
  struct Sum {
    double started_ms = 0, number = 0, residual = 0, count = 0;
  };
  std::map<std::uint64_t, Sum> units;
  for (const Value& v : values) {
    const auto of = moments.find(v.cell);
    if (of == moments.end()) continue;
    Sum& unit = units[v.unit];
    unit.started_ms += v.started_ms;
    unit.number += v.number;
    unit.residual += (v.value - of->second.mean) / std::sqrt(of->second.variance);
    ++unit.count;
  }
  std::vector<Sum> placed;
  for (const auto& [unit, sum] : units)
    placed.push_back({sum.started_ms / sum.count, sum.number / sum.count, sum.residual / sum.count, 1});
  std::ranges::sort(placed, [](const Sum& a, const Sum& b) {
    return std::tie(a.started_ms, a.number) < std::tie(b.started_ms, b.number);
  });
  std::vector<double> residuals;
  for (const Sum& at : placed) residuals.push_back(at.residual);
  return residuals;
}

}  // namespace

Reason repeats_warning(const StudySpec& spec, const RunBoard& board, const Experiment& experiment,
                       const Hypothesis& h) {
  ArmCount again(spec, board, h);
  int stages = 0;
  for (const Run& run : board.runs) {
    if (run.experiment != experiment.registration.experiment || run.purpose != Purpose::registered || !run.superseded)
      continue;
    if (run.outcome.end != JobEnd::exited || run.outcome.exit != retry_exit) continue;
    if (!run.stage.empty())
      ++stages;  // Counted without regard to the arms that use it.
    else if (again.has(run))
      again.add(run);
  }
  if (again.all() + stages == 0) return {};
  Reason asked{ReasonCode::asked_again, {{"runs", again.all() + stages}, {"exit", retry_exit}}};
  again.describe(asked, ReasonCode::asked_again_by_arm);
  if (stages > 0)
    asked.values["stages"] =
        std::vector{Reason{h.has_arms() ? ReasonCode::asked_again_also_of_stages : ReasonCode::asked_again_of_stages,
                           {{"stages", stages}}}};
  if (spec.retries) return {ReasonCode::retries_allowed, {{"what", std::vector{std::move(asked)}}}};
  return asked;
}

int scratch_looks(const Study& study, const Experiment& experiment, const Hypothesis& h) {
  const ArmCount cells(study.spec, study, h);
  int looks = 0;
  for (const Run& run : study.runs) {
    const ScratchOrder* order = study.order_of(run);
    if (!order || run.superseded || run.state == RunState::cancelled || run.state == RunState::lost) continue;
    if (run.started_ms == 0 || run.started_ms > experiment.registered_ms) continue;
    looks += !order->cell || cells.has(run) ? 1 : 0;
  }
  return looks;
}

std::optional<double> seconds_of(const std::string& unit) {
  const auto known = time_units().find(unit);
  return known == time_units().end() ? std::nullopt : std::optional(known->second);
}

bool is_timing(const StudySpec& spec, const Metric& metric) {
  return tells_time(metric) || tells_time(spec.reported(metric));
}

Reason busy_warning(const StudySpec& spec, const RunBoard& board, const Experiment& experiment, const Hypothesis& h) {
  const auto about_time = [&](const Metric& m) { return is_about(h, m.name) && is_timing(spec, m); };
  if (std::ranges::none_of(spec.metrics, about_time)) return {};
  ArmCount busy(spec, board, h);
  int runs = 0;
  for (const Run& run : board.runs) {
    if (run.experiment != experiment.registration.experiment || !run.evidence() || !busy.has(run)) continue;
    ++runs;
    if (was_busy(run.outcome.usage)) busy.add(run);
  }
  if (busy.all() == 0) return {};
  Reason warning{ReasonCode::busy_machine, {{"busy", busy.all()}, {"runs", runs}}};
  busy.describe(warning, ReasonCode::busy_by_arm);
  return warning;
}

std::vector<OutlyingValue> outliers_of(const StudySpec& spec, const Hypothesis& h, std::span<const RunValue> runs) {
  const Metric* metric = spec.metric(h.metric);
  std::vector<OutlyingValue> found;
  if (metric && metric->deterministic) return found;
  const UnitRules rules = method_of(spec, h).units();
  const std::vector<Setting> settings = observe(spec, h, runs, rules);
  for (const auto arm : {&Setting::treatment, &Setting::control})
    for (const ObservedCell* cell : cells_in(settings, arm)) add_outliers(*cell, on_logarithms(h, rules), found);
  std::ranges::sort(found, [](const OutlyingValue& a, const OutlyingValue& b) { return a.run < b.run; });
  return found;
}

Reason outlier_warning(const StudyTerms& study, const Hypothesis& h, std::span<const RunValue> runs) {
  const std::vector<OutlyingValue> found = outliers_of(study.spec, h, runs);
  if (found.empty()) return {};
  const Metric* metric = study.spec.metric(h.metric);
  std::vector<Reason> named;
  for (std::size_t i = 0; i < std::min(found.size(), most_runs_named); ++i) {
    const OutlyingValue& one = found[i];
    named.push_back({ReasonCode::outlier,
                     {{"run", one.run}, {"value", one.value}, {"precision", one.noise / 10}, {"score", one.score}}});
    if (metric) add_unit(named.back(), metric->unit);
  }
  Reason kept{ReasonCode::outliers_kept, {{"outliers", named}}};
  if (found.size() > most_runs_named)
    kept.values["more"] = std::vector{
        Reason{ReasonCode::and_more, {{"more", static_cast<std::int64_t>(found.size() - most_runs_named)}}}};
  return kept;
}

Reason drift_warning(const StudySpec& spec, const RunBoard& board, const Experiment& experiment,
                     const std::string& metric) {
  const Metric* about = spec.metric(metric);
  if (about && about->deterministic) return {};
  const std::vector<double> residuals = residuals_in_order(values_of_runs(spec, board, experiment, metric));
  if (residuals.size() < fewest_in_order) return {};
  // Two tests, each at half of drift_level. The runs test is one-sided, because drift gives too few runs.
  const auto trend = stats::order_correlation(residuals);
  const auto runs = stats::runs_test(residuals);
  const double of_trend = trend ? std::min(1.0, 2 * std::min(trend->p.less, trend->p.greater)) : 1;
  const double of_runs = runs ? runs->p.less : 1;
  if (std::min(of_trend, of_runs) > drift_level / 2) return {};
  if (of_trend <= of_runs)
    return {trend->tau > 0 ? ReasonCode::values_rise : ReasonCode::values_fall,
            {{"metric", metric}, {"tau", trend->tau}, {"p", of_trend}}};
  return {ReasonCode::values_in_runs,
          {{"metric", metric},
           {"runs", static_cast<std::int64_t>(runs->runs)},
           {"values", static_cast<std::int64_t>(residuals.size())},
           {"p", of_runs}}};
}

}  // namespace kernel
