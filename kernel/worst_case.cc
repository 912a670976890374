#include "kernel/worst_case.h"

#include <cmath>
#include <map>

#include "kernel/ranked.h"
#include "kernel/units.h"

namespace kernel {

namespace {

/// The mean over an arm's cells for each seed that ran in all of them; none where one of these failed.
std::map<std::uint64_t, std::optional<double>> by_seed(const std::vector<const ObservedCell*>& arm, bool log) {
  struct Sum {
    double total = 0;
    std::size_t there = 0, failed = 0;
  };
  std::map<std::uint64_t, Sum> seeds;
  for (const ObservedCell* cell : arm) {
    for (const auto& v : cell->values) {
      Sum& at = seeds[v.seed];
      at.total += log ? std::log(v.value) : v.value;
      ++at.there;
    }
    for (const std::uint64_t seed : cell->failed) ++seeds[seed].failed;
  }
  std::map<std::uint64_t, std::optional<double>> means;
  for (const auto& [seed, at] : seeds) {
    if (at.there + at.failed != arm.size()) continue;
    means[seed] = at.failed > 0 ? std::nullopt : std::optional(at.total / static_cast<double>(arm.size()));
  }
  return means;
}

std::optional<Ranked> ranked_runs(const StudySpec& spec, std::span<const Setting> settings, bool log) {
  const auto treatment = cells_in(settings, &Setting::treatment), control = cells_in(settings, &Setting::control);
  Ranked out;
  out.paired = spec.design.pairing == Pairing::seed;
  if (!out.paired && (treatment.size() != 1 || control.size() != 1)) return std::nullopt;
  const auto ts = by_seed(treatment, log), cs = by_seed(control, log);
  if (!out.paired) {
    for (const auto& [seed, value] : ts) out.treatment.push_back(value);
    for (const auto& [seed, value] : cs) out.control.push_back(value);
    return out;
  }
  for (const auto& [seed, value] : ts) {
    const auto other = cs.find(seed);
    if (other == cs.end()) continue;
    out.treatment.push_back(value);
    out.control.push_back(other->second);
  }
  return out;
}

}  // namespace

std::optional<PValues> worst_case(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings,
                                  const Region& region, std::optional<double> sd) {
  const TestMethod method = method_of(spec, h);
  if (h.kind != HypothesisKind::compare || method.exact) return std::nullopt;
  const std::optional<Ranked> r = ranked_runs(spec, settings, method.log);
  if (!r || r->treatment.empty() || r->control.empty()) return std::nullopt;
  return ranked_p_values(*r, region, sd);
}

}  // namespace kernel
