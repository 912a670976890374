#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "artifacts/reproduce/reproduction.h"
#include "artifacts/words/study_words.h"
#include "kernel/domain/enum_names.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"
#include "stats/basics/descriptive.h"
#include "stats/basics/distributions.h"

namespace artifacts {

using kernel::Cell;
using kernel::MetricValue;
using kernel::Run;
using kernel::RunState;
using kernel::Study;

namespace {

/// The probability that no value of an honest artifact is reported as different, over all compared values.
constexpr double all_together = 0.99;
/// With fewer values, the median ratio between two machines may be chance.
constexpr std::size_t fewest_ratios = 5;
constexpr double most_faster = 20;

bool identical(const MetricValue& a, const MetricValue& b) {
  const bool equal = a.value == b.value || (std::isnan(a.value) && std::isnan(b.value));
  return equal && a.censored == b.censored && a.worst == b.worst;
}

/// Whether a faster machine changes the metric; shares and counts must agree as they are.
bool is_time(const kernel::Metric* metric) {
  static constexpr std::string_view units[] = {"s", "ms", "us", "µs", "ns", "min", "h"};
  return metric &&
         (metric->type == kernel::MetricType::time || std::ranges::find(units, metric->unit) != std::end(units));
}

bool plain(const MetricValue& v) {
  return !v.censored && !v.worst && std::isfinite(v.value);
}

class RunPairs {
 public:
  RunPairs(const Study& first, const Study& again, bool other_machine)
      : first_(first), again_(again), other_machine_(other_machine) {
    for (const Run& run : again.runs)
      if (run.evidence()) repeated_[{cell_of(again, run), run.seed}] = &run;
    for (const kernel::PinnedCell& pinned : again.spec.design.pinned)
      for (const std::uint64_t seed : pinned.seeds) wanted_.emplace(pinned.cell, seed);
    pair();
    learn();
  }

  std::vector<RunComparison> compared() const {
    std::vector<RunComparison> list;
    for (const auto& [run, other] : pairs_) list.push_back(one(*run, other));
    return list;
  }

 private:
  using Place = std::pair<Cell, std::uint64_t>;

  void pair() {
    for (const Run& run : first_.runs) {
      if (!run.evidence()) continue;
      const Place place{cell_of(first_, run), run.seed};
      if (!wanted_.contains(place)) continue;
      const auto found = repeated_.find(place);
      pairs_.emplace_back(&run, found == repeated_.end() ? nullptr : found->second);
    }
  }

  /// Computes how much the cells vary, the number of values to compare, and the speed ratio of the machines.
  void learn() {
    for (const Run& run : first_.runs)
      if (run.evidence() && run.state == RunState::succeeded)
        for (const auto& [metric, value] : run.measurement.values)
          if (plain(value)) cells_[{cell_of(first_, run), metric}].emplace_back(run.number, value.value);
    std::map<std::string, std::vector<double>> ratios;
    for (const auto& [run, other] : pairs_) {
      if (!other || other->state != RunState::succeeded) continue;
      for (const auto& [metric, value] : run->measurement.values) {
        const auto now = other->measurement.values.find(metric);
        if (now == other->measurement.values.end()) continue;
        if (!identical(value, now->second)) ++comparisons_;
        if (is_time(first_.spec.metric(metric)) && value.value > 0 && now->second.value > 0 && plain(value) &&
            plain(now->second))
          ratios[metric].push_back(now->second.value / value.value);
      }
    }
    for (auto& [metric, list] : ratios) {
      if (list.size() < fewest_ratios) continue;
      std::nth_element(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2), list.end());
      const double speed = list[list.size() / 2];
      // A larger ratio cannot come from another processor.
      if (speed > 1 / most_faster && speed < most_faster) speeds_[metric] = speed;
    }
  }

  /// The largest difference that agrees, computed without this run's own value, which may be false.
  std::optional<double> reach(const Run& run, const std::string& metric) const {
    const auto found = cells_.find({cell_of(first_, run), metric});
    if (found == cells_.end()) return std::nullopt;
    std::vector<double> others;
    for (const auto& [number, value] : found->second)
      if (number != run.number) others.push_back(value);
    const auto moments = stats::moments(others);
    if (!moments || moments->n < 2) return std::nullopt;
    const double outside = (1 - all_together) / std::max(1, comparisons_);
    return stats::t_quantile(1 - outside / 2, static_cast<double>(moments->n - 1)) * std::sqrt(2 * moments->variance);
  }

  ValueComparison value(const Run& run, const std::string& name, const MetricValue& before,
                        const MetricValue& now) const {
    ValueComparison v{name, before.value, now.value, std::nullopt, RunOutcome::undecidable};
    const kernel::Metric* metric = first_.spec.metric(name);
    if (identical(before, now)) {
      v.outcome = RunOutcome::agrees;
    } else if ((metric && metric->deterministic) || before.worst != now.worst || before.censored != now.censored) {
      v.outcome = RunOutcome::differs;
    } else if (plain(before) && plain(now)) {
      const bool scaled = other_machine_ && is_time(metric);
      const auto speed = speeds_.find(name);
      if (scaled && speed == speeds_.end()) return v;
      v.reach = reach(run, name);
      if (!v.reach) return v;
      const double away = now.value / (scaled ? speed->second : 1) - before.value;
      v.outcome = std::abs(away) <= *v.reach ? RunOutcome::agrees : RunOutcome::differs;
    }
    return v;
  }

  RunComparison one(const Run& run, const Run* other) const {
    RunComparison c;
    c.recorded = first_.run_id(run.number);
    c.cell = cell_of(first_, run);
    c.seed = run.seed;
    c.experiment = run.experiment;
    c.recorded_state = run.state;
    if (!other) {
      c.reason = "it was not run";
      return c;
    }
    c.observed = again_.run_id(other->number);
    c.observed_state = other->state;
    if (run.state != other->state) {
      // A run that failed only this time has no value, which is not a different value.
      c.outcome = other->state == RunState::succeeded ? RunOutcome::differs : RunOutcome::failed_to_run;
      c.reason = fmt::format("it {} and now {}", kernel::name(run.state), kernel::name(other->state)) +
                 (other->reason.empty() ? "" : ": " + sentence(other->reason, again_.wording));
      return c;
    }
    c.outcome = RunOutcome::agrees;
    for (const auto& [name, before] : run.measurement.values) {
      const auto now = other->measurement.values.find(name);
      if (now == other->measurement.values.end()) {
        c.outcome = RunOutcome::differs;
        c.reason = name + " is not reported any more";
        return c;
      }
      c.values.push_back(value(run, name, before, now->second));
    }
    settle(c);
    for (const auto& [name, now] : other->measurement.values)
      if (c.outcome == RunOutcome::agrees && !run.measurement.values.contains(name)) {
        c.outcome = RunOutcome::differs;
        c.reason = name + " is reported, and was not";
      }
    // Two failures agree; a success without any compared value does not.
    if (c.outcome == RunOutcome::agrees && c.values.empty() && run.state == RunState::succeeded) {
      c.outcome = RunOutcome::undecidable;
      c.reason = "no value was recorded that could be compared";
    }
    return c;
  }

  static void settle(RunComparison& c) {
    for (const ValueComparison& v : c.values) {
      if (v.outcome == RunOutcome::undecidable && c.outcome == RunOutcome::agrees) {
        c.outcome = RunOutcome::undecidable;
        c.reason =
            fmt::format("{} was {} and is {}, and no tolerance for it is recorded", v.metric, v.recorded, v.observed);
      }
      if (v.outcome != RunOutcome::differs) continue;
      const bool first = c.outcome != RunOutcome::differs;
      c.outcome = RunOutcome::differs;
      const std::string what =
          fmt::format("{} was {} and is {}", v.metric, v.recorded, v.observed) +
          (v.reach ? fmt::format(", where {} either way was to be expected", prose::rounded(*v.reach, *v.reach)) : "");
      c.reason = first ? what : c.reason + "; " + what;
    }
  }

  const Study& first_;
  const Study& again_;
  const bool other_machine_;
  std::map<Place, const Run*> repeated_;
  std::set<Place> wanted_;
  std::vector<std::pair<const Run*, const Run*>> pairs_;
  std::map<std::pair<Cell, std::string>, std::vector<std::pair<int, double>>> cells_;
  std::map<std::string, double> speeds_;
  int comparisons_ = 0;
};

}  // namespace

std::string_view name_of(RunOutcome outcome) {
  static constexpr std::string_view names[] = {"agrees", "differs", "failed_to_run", "untold", "not_run"};
  static_assert(std::size(names) == static_cast<std::size_t>(RunOutcome::not_run) + 1);
  return names[static_cast<std::size_t>(outcome)];
}

std::vector<RunComparison> compare_runs(const Study& recorded, const Study& again, bool other_machine) {
  return RunPairs(recorded, again, other_machine).compared();
}

double chance_of_catching(int runs, int fabricated, int drawn) {
  if (runs <= 0 || fabricated <= 0 || drawn <= 0) return 0;
  double none = 1;
  for (int i = 0; i < std::min(drawn, runs); ++i)
    none *= std::max(0.0, static_cast<double>(runs - fabricated - i) / (runs - i));
  return 1 - none;
}

int ReproductionReport::count(RunOutcome which) const {
  return static_cast<int>(std::ranges::count_if(runs, [&](const RunComparison& run) { return run.outcome == which; }));
}

std::vector<const RunComparison*> ReproductionReport::telling_first() const {
  std::vector<const RunComparison*> order;
  for (const RunOutcome which : {RunOutcome::differs, RunOutcome::failed_to_run, RunOutcome::undecidable,
                                 RunOutcome::not_run, RunOutcome::agrees})
    for (const RunComparison& run : runs)
      if (run.outcome == which) order.push_back(&run);
  return order;
}

bool ReproductionReport::good() const {
  if (!sample) return outcome <= ClaimOutcome::replicated;
  return terms.untrue.empty() && !runs.empty() && count(RunOutcome::agrees) == static_cast<int>(runs.size());
}

std::string ReproductionReport::runs_text() const {
  if (runs.empty()) return "";
  const int all = sample ? sample->of : static_cast<int>(runs.size());
  std::string text = fmt::format("{} of {} {}", count(RunOutcome::agrees), prose::counted(all, "run"),
                                 count(RunOutcome::agrees) == 1 ? "agrees" : "agree");
  const auto add = [&](RunOutcome which, const char* words) {
    if (const int n = count(which)) text += fmt::format(", {} {}", n, words);
  };
  add(RunOutcome::differs, count(RunOutcome::differs) == 1 ? "differs" : "differ");
  add(RunOutcome::failed_to_run, "failed to run");
  add(RunOutcome::undecidable, "cannot be told");
  add(RunOutcome::not_run, sample ? "of those drawn not run" : "not run");
  if (!sample) return text;
  for (const Caught& caught : sample->caught)
    if (caught.share == 0.1) {
      const double percent = 100 * caught.chance;
      const std::string chance = percent >= 99.5 && percent < 100 ? "more than 99" : fmt::format("{:.0f}", percent);
      text += fmt::format("; if {} of {} were fabricated, the sample had a chance of {} % to contain one",
                          caught.fabricated, sample->of, chance);
    }
  return text;
}

}  // namespace artifacts
