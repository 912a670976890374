#include <cmath>

#include <fmt/format.h>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/words/study_words.h"
#include "kernel/design/design.h"
#include "prose/numbers.h"
#include "stats/basics/descriptive.h"
#include "stats/diagnostics/equal_values.h"

namespace artifacts {

using kernel::Metric;
using kernel::Run;
using kernel::Study;

namespace {

/// With fewer seeds, equal values may be chance.
constexpr std::size_t few_seeds = 3;
/// Equal values that chance gives less often than this were copied.
constexpr double no_chance = 1e-3;

/// The number of pairs of equal values, and the standard deviation of the different ones.
struct Equals {
  std::size_t pairs = 0, different = 0;
  double sd = 0;
};

Equals equals(const std::vector<double>& values) {
  std::map<double, std::size_t> counts;
  for (const double value : values) ++counts[value];
  Equals found{0, counts.size(), 0};
  std::vector<double> different;
  for (const auto& [value, count] : counts) {
    different.push_back(value);
    found.pairs += count * (count - 1) / 2;
  }
  found.sd = stats::standard_deviation(different).value_or(0);
  return found;
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

class Trails {
 public:
  Trails(const Study& study, Findings& findings) : study_(study), findings_(findings) {}

  void all() {
    for (const kernel::Experiment& e : study_.experiments) {
      std::map<int, std::vector<const Run*>> cells;
      for (const Run& run : study_.runs)
        if (run.experiment == e.registration.experiment && run.evidence() && run.state == kernel::RunState::succeeded)
          cells[run.cell].push_back(&run);
      file_ = "evidence/results/" + e.registration.experiment + ".csv";
      for (const Metric& metric : study_.spec.metrics)
        if (!metric.deterministic) constant(metric, cells);
      const std::map<std::string, double> steps = steps_of(cells);
      for (const auto& [cell, runs] : cells) {
        copied(runs, steps, cells.size());
        without_work(cell, runs);
      }
    }
  }

 private:
  /// Finds a metric that should depend on the seed but never differs between seeds.
  void constant(const Metric& metric, const std::map<int, std::vector<const Run*>>& cells) {
    std::size_t repeated = 0;
    for (const auto& [cell, runs] : cells) {
      std::set<std::uint64_t> seeds;
      std::set<double> values;
      for (const Run* run : runs) {
        const auto at = run->measurement.values.find(metric.name);
        if (at == run->measurement.values.end() || at->second.censored || at->second.worst) continue;
        seeds.insert(run->seed);
        values.insert(at->second.value);
      }
      if (values.size() > 1) return;
      repeated += seeds.size() >= few_seeds ? 1 : 0;
    }
    if (repeated)
      findings_.add(RuleId::constant_metric, file_, 0,
                    fmt::format("{} is the same for every seed, in {} of {} cells with {} seeds or more",
                                quote(metric.name), repeated, cells.size(), few_seeds));
  }

  /// All measured values except those that are constant by declaration, to the last digit.
  std::string fingerprint(const Run& run) const {
    std::string text;
    for (const Metric& metric : study_.spec.metrics)
      if (const auto value = measured(metric, run)) text += fmt::format("{}={};", metric.name, *value);
    return text;
  }

  static std::optional<double> measured(const Metric& metric, const Run& run) {
    const auto at = run.measurement.values.find(metric.name);
    if (metric.deterministic || at == run.measurement.values.end() || at->second.censored || at->second.worst)
      return std::nullopt;
    return std::isfinite(at->second.value) ? std::optional(at->second.value) : std::nullopt;
  }

  /// The step of each metric's values in all these runs.
  std::map<std::string, double> steps_of(const std::map<int, std::vector<const Run*>>& cells) const {
    std::map<std::string, double> steps;
    for (const Metric& metric : study_.spec.metrics) {
      std::vector<double> values;
      for (const auto& [cell, runs] : cells)
        for (const Run* run : runs)
          if (const auto value = measured(metric, *run)) values.push_back(*value);
      steps[metric.name] = stats::resolution(values);
    }
    return steps;
  }

  /// The chance that so many pairs of these runs agree in every metric; no more than that of their finest metric.
  double chance(std::size_t pairs, const std::vector<const Run*>& runs,
                const std::map<std::string, double>& steps) const {
    double least = 1;
    for (const Metric& metric : study_.spec.metrics) {
      std::vector<double> values;
      for (const Run* run : runs)
        if (const auto value = measured(metric, *run)) values.push_back(*value);
      const Equals found = equals(values);
      const double step = steps.at(metric.name);
      if (values.size() == runs.size() && step > 0 && found.different > 1)
        least = std::min(least, stats::equal_pairs_p(pairs, values.size(), found.sd, step));
    }
    return least;
  }

  void copied(const std::vector<const Run*>& runs, const std::map<std::string, double>& steps, std::size_t cells) {
    std::map<std::string, std::vector<const Run*>> alike;
    for (const Run* run : runs)
      if (const std::string text = fingerprint(*run); !text.empty()) alike[text].push_back(run);
    // A constant cell is reported elsewhere.
    if (alike.size() < 2) return;
    std::size_t pairs = 0;
    for (const auto& [text, copies] : alike) pairs += copies.size() * (copies.size() - 1) / 2;
    if (chance(pairs, runs, steps) * static_cast<double>(cells) >= no_chance) return;
    for (const auto& [text, copies] : alike) {
      const Run& first = *copies.front();
      for (const Run* other : copies)
        if (other->seed != first.seed) {
          findings_.add(RuleId::copied_result, file_, 0,
                        fmt::format("{} and {} have other seeds and the same values: {}", study_.run_id(first.number),
                                    study_.run_id(other->number), text));
          break;
        }
    }
  }

  void without_work(int cell, const std::vector<const Run*>& runs) {
    std::vector<double> cpu;
    for (const Run* run : runs)
      if (run->cached_from.empty()) cpu.push_back(run->outcome.usage.cpu_s);
    const double usual = middle(cpu);
    if (cpu.size() < few_seeds) return;
    for (const Run* run : runs) {
      const kernel::Usage& usage = run->outcome.usage;
      if (!run->cached_from.empty() || !kernel::cost_nothing(usage, usual)) continue;
      findings_.add(RuleId::no_work, file_, 0,
                    fmt::format("{} took {} s of processor time, and runs of {} usually take {} s",
                                study_.run_id(run->number), prose::rounded(usage.cpu_s),
                                cell_text(study_.cells[static_cast<std::size_t>(cell)]), prose::rounded(usual)));
    }
  }

  const Study& study_;
  Findings& findings_;
  std::string file_;
};

}  // namespace

void audit_trails(const AuditedRecord& record, Findings& findings) {
  Trails(record.study, findings).all();
}

}  // namespace artifacts
