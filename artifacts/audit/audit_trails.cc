#include <fmt/format.h>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/words/study_words.h"
#include "kernel/design/design.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Metric;
using kernel::Run;
using kernel::Study;

namespace {

/// With fewer seeds, equal values may be chance.
constexpr std::size_t few_seeds = 3;
/// So many equal digits are no chance.
constexpr std::size_t many_digits = 8;

std::size_t significant_digits(double value) {
  std::string text = fmt::format("{}", value);
  text.resize(std::min(text.find('e'), text.size()));
  std::erase_if(text, [](char c) { return !is_digit(c); });
  const std::size_t first = text.find_first_not_of('0'), last = text.find_last_not_of('0');
  return first == std::string::npos ? 0 : last - first + 1;
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
      for (const auto& [cell, runs] : cells) {
        copied(runs);
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

  /// All measured values except those that are constant by declaration, to the last digit; empty if they say little.
  std::string fingerprint(const Run& run) const {
    std::string text;
    std::size_t digits = 0;
    for (const Metric& metric : study_.spec.metrics) {
      const auto at = run.measurement.values.find(metric.name);
      if (metric.deterministic || at == run.measurement.values.end() || at->second.censored || at->second.worst)
        continue;
      text += fmt::format("{}={};", metric.name, at->second.value);
      digits += significant_digits(at->second.value);
    }
    return digits >= many_digits ? text : "";
  }

  void copied(const std::vector<const Run*>& runs) {
    std::map<std::string, std::vector<const Run*>> alike;
    for (const Run* run : runs)
      if (const std::string text = fingerprint(*run); !text.empty()) alike[text].push_back(run);
    // A constant cell is reported elsewhere.
    if (alike.size() < 2) return;
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
