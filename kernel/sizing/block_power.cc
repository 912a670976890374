#include "kernel/sizing/block_power.h"

#include <algorithm>

#include "kernel/evidence/blocks.h"
#include "kernel/inference/verdict.h"
#include "kernel/sizing/power.h"
#include "stats/effects/nested.h"
#include "stats/error_rates/t_test_power.h"

namespace kernel {

namespace {

/// The contrasts of one block, one per seed.
std::vector<double> contrasts(const Sample& sample, const Boundary& at) {
  std::vector<double> list;
  if (const auto* pairs = std::get_if<PairedSample>(&sample))
    for (std::size_t i = 0; i < pairs->treatment.size(); ++i)
      list.push_back(pairs->treatment[i] - at.ratio * pairs->control[i] - at.shift);
  if (const auto* lines = std::get_if<LineSample>(&sample))
    for (const double slope : lines->per_seed) list.push_back(slope - at.ratio * lines->reference - at.shift);
  return list;
}

/// One boundary that a test must cross, with the pilot's variances.
struct BlockHurdle {
  stats::VarianceComponents varies;
  stats::PilotDesign design;
};

double power_over(const std::vector<BlockHurdle>& list, std::size_t tests, int blocks, double efficiency,
                  int replicates) {
  double least = 1;
  for (BlockHurdle one : list) {
    one.design.variance = one.varies.between + one.varies.within / replicates;
    one.design.variance /= efficiency;
    least = std::min({least, stats::stein_power(one.design, blocks),
                      stats::fresh_power(one.design, blocks, static_cast<double>(blocks - 1))});
  }
  return std::max(0.0, 1 - static_cast<double>(tests) * (1 - least));
}

}  // namespace

std::optional<std::function<double(int)>> power_in_blocks(const StudySpec& spec, const Hypothesis& h, double alpha,
                                                          std::span<const RunValue> pilot) {
  const int blocks = block_count(spec);
  if (const auto known = power_of(without_blocks(spec), h, blocks, alpha))
    return [power = *known](int) { return power; };
  if (pilot.empty()) return std::nullopt;
  const Estimate whole = estimate(spec, h, pilot);
  if (whole.tests.empty()) return std::nullopt;
  std::vector<std::vector<Test>> inside;
  for (int block = 0; block < blocks; ++block) {
    const Folded own = within_block(spec, block, pilot);
    Estimate e = estimate(own.spec, h, own.values);
    if (e.tests.size() == whole.tests.size()) inside.push_back(std::move(e.tests));
  }
  const bool crossover = h.kind == HypothesisKind::crossover;
  const Hypothesis part = crossover ? at_one_level(h, Direction::less) : h;
  if (crossover) alpha /= crossover_pairs(h);
  std::vector<BlockHurdle> list;
  for (std::size_t i = 0; i < whole.tests.size(); ++i) {
    const Test& test = whole.tests[i];
    const std::optional<Alternative> at = alternative(part, test.region, test.scales);
    if (!at || at->sd || !test.tested) return std::nullopt;
    for (const auto& [boundary, distance] :
         {std::pair{test.region.below, at->from_below}, std::pair{test.region.above, at->from_above}}) {
      if (!boundary || !distance) continue;
      std::vector<std::vector<double>> units;
      for (const std::vector<Test>& tests : inside) units.push_back(contrasts(tests[i].sample, *boundary));
      const auto varies = stats::variance_components(units);
      if (!varies) return std::nullopt;
      stats::PilotDesign design;
      design.df = static_cast<double>(units.size() - 1);
      design.distance = *distance;
      design.alpha = alpha;
      design.sides = test.region.either ? stats::Sides::two : stats::Sides::one;
      design.equivalence = test.region.below && test.region.above && !test.region.either;
      list.push_back({*varies, design});
    }
  }
  const double efficiency = whole.tests.front().method->efficiency();
  // Two levels of a crossover must show their signs.
  const std::size_t tests = crossover ? 2 : whole.tests.size();
  return [list = std::move(list), tests, blocks, efficiency](int replicates) {
    return power_over(list, tests, blocks, efficiency, replicates);
  };
}

}  // namespace kernel
