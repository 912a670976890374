#include "kernel/worst_case.h"

#include <cmath>
#include <map>
#include <vector>

#include "kernel/units.h"
#include "stats/worst_rank.h"

namespace kernel {

namespace {

using Values = std::vector<std::optional<double>>;

/// None: it failed. Pairs stand at the same place of both.
struct Ranked {
  bool paired = true;
  Values treatment, control;
};

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

std::optional<Ranked> ranked(const StudySpec& spec, std::span<const Setting> settings, bool log) {
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

constexpr stats::FailedRanks against_less{stats::FailedRank::highest, stats::FailedRank::lowest};
constexpr stats::FailedRanks against_greater{stats::FailedRank::lowest, stats::FailedRank::highest};

stats::OneSided at(const Ranked& r, const Boundary& b, const stats::FailedRanks& ranks) {
  const auto p = r.paired ? stats::worst_rank_paired(r.treatment, r.control, ranks, b.ratio, b.shift)
                          : stats::worst_rank_independent(r.treatment, r.control, ranks, b.ratio, b.shift);
  return p.value_or(stats::OneSided{});
}

std::optional<Boundary> far(const std::optional<Boundary>& stated, const Boundary& from, std::optional<double> count,
                            std::optional<double> sd, double side) {
  if (!count) return stated;
  return sd ? std::optional(Boundary{from.ratio, from.shift + side * *count * *sd}) : std::nullopt;
}

}  // namespace

std::optional<PValues> worst_case(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings,
                                  const Region& region, std::optional<double> sd) {
  const TestMethod method = method_of(spec, h);
  if (h.kind == HypothesisKind::slope || method.exact) return std::nullopt;
  const std::optional<Ranked> r = ranked(spec, settings, method.log);
  if (!r || r->treatment.empty() || r->control.empty()) return std::nullopt;
  Side below, above;
  if (region.below) {
    below = {at(*r, *region.below, against_less).less, at(*r, *region.below, against_greater).greater, 1};
    if (const auto beyond = far(region.far_below, *region.below, region.far_sd, sd, -1))
      below.beyond = at(*r, *beyond, against_greater).greater;
  }
  if (region.above) {
    above = {at(*r, *region.above, against_greater).greater, at(*r, *region.above, against_less).less, 1};
    if (const auto beyond = far(region.far_above, *region.above, region.far_sd, sd, 1))
      above.beyond = at(*r, *beyond, against_less).less;
  }
  return both_sides(region, below, above);
}

}  // namespace kernel
