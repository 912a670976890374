#include "kernel/sizing/power.h"

#include <algorithm>
#include <cmath>

#include "kernel/evidence/blocks.h"
#include "kernel/inference/verdict.h"
#include "stats/basics/descriptive.h"
#include "stats/error_rates/t_test_power.h"

namespace kernel {

namespace {

DesignShape shape_of(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings) {
  DesignShape shape{h.kind, spec.design.pairing, 0, 0, 0, in_blocks(spec)};
  shape.slope_per_seed = spec.design.rule == VerdictRule::one_interval;
  for (const Setting& setting : settings) {
    shape.treatment_cells += static_cast<double>(setting.treatment.size());
    shape.control_cells += static_cast<double>(setting.control.size());
    if (h.kind == HypothesisKind::slope) shape.lines += 1;
  }
  return shape;
}

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

/// The variance with one replicate; a rank test uses its own, which outliers hardly change.
double variance_of(const Test& pilot, const Boundary& boundary, int replicates) {
  if (pilot.method->of_means() || !pilot.standard_error) return pilot.method->variance(pilot.sample, boundary);
  return *pilot.standard_error * *pilot.standard_error * replicates;
}

/// One boundary that a test must cross, as the pilot shows it.
struct Hurdle {
  stats::PilotDesign pilot;
  DesignShape shape;                 ///< Only without blocks.
  stats::VarianceComponents varies;  ///< Only in blocks, where it gives the pilot's variance.
  /// For a method whose own test gives the power: see `TestMethod::own_power`.
  const TestMethod* method = nullptr;
  Sample sample;
  Boundary at;
  bool below = true;  ///< The region lies below the boundary.
};

/// The hurdles of all tests. `fill(i, boundary, hurdle)` adds what the pilot's i-th test says; it returns false if that
/// test says nothing, and then there is no list.
template <typename Fill>
std::optional<std::vector<Hurdle>> hurdles_of(const Hypothesis& h, const Estimate& pilot, double alpha,
                                              const Fill& fill) {
  const bool crossover = h.kind == HypothesisKind::crossover;
  const Hypothesis part = crossover ? at_one_level(h, Direction::less) : h;
  if (crossover) alpha /= crossover_pairs(h);
  std::vector<Hurdle> list;
  for (std::size_t i = 0; i < pilot.tests.size(); ++i) {
    const Test& test = pilot.tests[i];
    const std::optional<Alternative> at = alternative(part, test.region, test.scales);
    if (!at || at->sd || !test.tested) return std::nullopt;
    for (const bool below : {true, false}) {
      const std::optional<Boundary>& boundary = below ? test.region.below : test.region.above;
      const std::optional<double>& distance = below ? at->from_below : at->from_above;
      if (!boundary || !distance) continue;
      Hurdle hurdle;
      hurdle.at = *boundary;
      hurdle.below = below;
      hurdle.pilot.distance = *distance;
      hurdle.pilot.alpha = alpha;
      hurdle.pilot.sides = test.region.either ? stats::Sides::two : stats::Sides::one;
      hurdle.pilot.equivalence = test.region.below && test.region.above && !test.region.either;
      if (!fill(i, *boundary, hurdle)) return std::nullopt;
      list.push_back(hurdle);
    }
  }
  return list;
}

/// The power at a hurdle by the method's own test; none if the power of Student's t is used.
std::optional<double> own_power(const Hurdle& hurdle, int replicates) {
  if (!hurdle.method) return std::nullopt;
  const double alpha = hurdle.pilot.sides == stats::Sides::two ? hurdle.pilot.alpha / 2 : hurdle.pilot.alpha;
  const auto power =
      hurdle.method->own_power(hurdle.sample, hurdle.at, hurdle.below, hurdle.pilot.distance, alpha, replicates);
  return power && hurdle.pilot.equivalence ? std::max(0.0, 2 * *power - 1) : power;
}

/// Those that must succeed together: two levels of a crossover must show their signs.
double tests_of(const Hypothesis& h, const Estimate& pilot) {
  return h.kind == HypothesisKind::crossover ? 2 : static_cast<double>(pilot.tests.size());
}

}  // namespace

double DesignShape::df(int replicates) const {
  const double n = replicates;
  const bool by_run =
      kind == HypothesisKind::slope && !blocks && !(pairing == Pairing::seed && (slope_per_seed || lines > 1));
  if (by_run) return treatment_cells * n - 2 * lines;
  if (pairing == Pairing::seed) return n - 1;
  return (treatment_cells + control_cells) * (n - 1);
}

double DesignShape::sharpness(int replicates, const Boundary& at) const {
  const double root = std::sqrt(replicates);
  if (kind == HypothesisKind::slope || pairing == Pairing::seed) return root;
  const double scale = kind == HypothesisKind::interaction ? 2 : 1;  // The same as `CellSample::scale`.
  return root / scale / std::sqrt(1 / treatment_cells + at.ratio * at.ratio / control_cells);
}

std::vector<DesignShape> shapes_of(const StudySpec& spec, const Hypothesis& h) {
  std::vector<DesignShape> shapes;
  const std::vector<Setting> settings = observe(spec, h, {}, {});
  if (settings.empty()) return shapes;
  if (h.kind == HypothesisKind::crossover) {
    DesignShape step = shape_of(spec, h, settings);
    step.treatment_cells /= static_cast<double>(h.steps.size());
    step.control_cells /= static_cast<double>(h.steps.size());
    shapes.assign(h.steps.size(), step);
    return shapes;
  }
  if (h.over == Over::average) return {shape_of(spec, h, settings)};
  for (const Setting& setting : settings) shapes.push_back(shape_of(spec, h, {&setting, 1}));
  return shapes;
}

double power_at(const Reach& reach, double df, double alpha) {
  if (reach.from_below && reach.from_above && !reach.two_sided)
    return stats::equivalence_power(*reach.from_above, *reach.from_below, df, alpha);
  const double infinite = HUGE_VAL;
  const double nearest = std::min(reach.from_below.value_or(infinite), reach.from_above.value_or(infinite));
  if (nearest == infinite) return 0;
  return stats::t_power(nearest, df, alpha, reach.two_sided ? stats::Sides::two : stats::Sides::one);
}

std::optional<TestReach> reach_of(const Hypothesis& h, const Test& test) {
  const std::optional<Alternative> at = alternative(h, test.region, test.scales);
  if (!test.tested || !at) return std::nullopt;
  Reach reach;
  reach.two_sided = test.region.either;
  double df = HUGE_VAL;
  const auto from = [&](const std::optional<Boundary>& boundary, std::optional<double> distance) {
    if (!boundary || (!distance && !at->sd)) return std::optional<double>();
    const auto c = contrast(test.sample, *boundary);
    if (c->standard_error <= 0) return std::optional<double>();
    df = std::min(df, c->df);
    if (at->sd)
      return std::optional(*at->sd * unit_sd(test.sample, *boundary) / c->standard_error *
                           std::sqrt(test.method->efficiency()));
    // Outliers change the error of the mean far more than that of ranks.
    return std::optional(
        *distance / (test.method->of_means() ? c->standard_error : test.standard_error.value_or(c->standard_error)));
  };
  reach.from_below = from(test.region.below, at->from_below);
  reach.from_above = from(test.region.above, at->from_above);
  return std::isfinite(df) ? std::optional(TestReach{reach, df}) : std::nullopt;
}

/// `alpha` as the level of Student's t.
static double level_of_t(const Test& test, double alpha, double df) {
  const double sides = test.region.either ? 2 : 1;
  return sides * test.method->level_of_t(alpha / sides, df);
}

std::optional<double> power_of(const Hypothesis& h, const Test& test, double alpha) {
  const std::optional<TestReach> reached = reach_of(h, test);
  if (!reached) return std::nullopt;
  const double of_t = level_of_t(test, alpha, reached->df);
  return of_t > 0 ? power_at(reached->reach, reached->df, of_t) : 0;
}

std::optional<double> power_of(const StudySpec& spec, const Hypothesis& h, int replicates, double alpha) {
  const bool crossover = h.kind == HypothesisKind::crossover;
  const Hypothesis part = crossover ? at_one_level(h, Direction::less) : h;
  const TestMethod& method = method_of(spec, h);
  const Metric* metric = spec.metric(h.metric);
  const Scales scales{metric ? metric->goal : Goal::minimize, method.units().logarithms,
                      h.kind == HypothesisKind::slope ? h.slope_value : 1};
  const auto region = region_of(part, scales);
  if (method.units().exact || !std::holds_alternative<Region>(region)) return std::nullopt;
  const Region& inside = std::get<Region>(region);
  const std::optional<Alternative> at = alternative(part, inside, scales);
  const std::vector<DesignShape> shapes = shapes_of(spec, h);
  if (!at || !at->sd || shapes.empty()) return std::nullopt;
  const double each = crossover ? alpha / crossover_pairs(h) : alpha;
  const double worth = std::sqrt(method.efficiency());
  double missed = 0;  // All tests of `over: every` must succeed; by Bonferroni their failures add up.
  for (const DesignShape& shape : shapes) {
    if (shape.df(replicates) < 1) return std::nullopt;
    Reach reach;
    reach.two_sided = inside.either;
    if (inside.below) reach.from_below = *at->sd * shape.sharpness(replicates, *inside.below) * worth;
    if (inside.above) reach.from_above = *at->sd * shape.sharpness(replicates, *inside.above) * worth;
    missed += 1 - power_at(reach, shape.df(replicates), each);
  }
  if (crossover) missed *= 2 / static_cast<double>(shapes.size());  // Two of its levels must show their signs.
  return std::max(0.0, 1 - missed);
}

namespace {

/// The distance at which a rising function of it reaches this power; 0 < distance, no more than 10⁶ times `unit`.
double distance_with(double power, double unit, const std::function<double(double)>& power_of) {
  double low = 0, high = unit;
  for (int i = 0; i < 20 && power_of(high) < power; ++i) low = high, high *= 2;
  for (int i = 0; i < 50; ++i) (power_of((low + high) / 2) >= power ? high : low) = (low + high) / 2;
  return high;
}

}  // namespace

std::optional<double> detectable(const Hypothesis& h, const Test& test, double alpha, double power) {
  const Region& region = test.region;
  if (!test.tested || test.method->units().exact || (region.below && region.above && !region.either))
    return std::nullopt;
  const auto c = contrast(test.sample, region.below ? *region.below : *region.above);
  if (h.direction == Direction::not_worse || !c || c->standard_error <= 0 || c->df < 1) return std::nullopt;
  const double of_t = level_of_t(test, alpha, c->df);
  if (!(of_t > 0)) return std::nullopt;
  const double errors = distance_with(power, 1, [&](double at) {
    return power_at({at, std::nullopt, region.either}, c->df, of_t);
  });
  return errors * (test.method->of_means() ? c->standard_error : test.standard_error.value_or(c->standard_error));
}

std::optional<double> detectable_by_pilot(const StudySpec& spec, const Hypothesis& h, double alpha,
                                          const Estimate& pilot, int replicates) {
  if (in_blocks(spec) || h.kind == HypothesisKind::crossover || pilot.tests.empty() ||
      h.direction == Direction::equal || h.direction == Direction::not_worse)
    return std::nullopt;
  const Test& test = pilot.tests[pilot.weakest];
  if (!test.sd || !(*test.sd > 0)) return std::nullopt;
  const auto power = [&](double distance) {
    // On logarithms the distance is a log ratio, and less than nothing is no effect.
    Hypothesis probe = h;
    probe.smallest_effect = {SmallestEffect::Kind::absolute, distance};
    if (test.scales.log) {
      const double share = test.region.below ? -std::expm1(-distance) : std::expm1(distance);
      probe.smallest_effect = {SmallestEffect::Kind::relative, share};
    }
    Estimate at = pilot;
    for (Test& one : at.tests)
      if (const auto region = region_of(probe, one.scales); std::holds_alternative<Region>(region))
        one.region = std::get<Region>(region);
    const auto of = power_by_pilot(spec, probe, alpha, at);
    return of ? (*of)(replicates) : 0;
  };
  const double found = distance_with(spec.design.power, *test.sd, power);
  return power(found) >= spec.design.power ? std::optional(found) : std::nullopt;
}

std::optional<PowerOfReplicates> power_by_pilot(const StudySpec& spec, const Hypothesis& h, double alpha,
                                                const Estimate& pilot) {
  const std::vector<DesignShape> shapes = shapes_of(spec, h);
  if (pilot.tests.empty() || pilot.tests.size() != shapes.size()) return std::nullopt;
  auto hurdles = hurdles_of(h, pilot, alpha, [&](std::size_t i, const Boundary& boundary, Hurdle& hurdle) {
    hurdle.pilot.variance = variance_of(pilot.tests[i], boundary, spec.design.pilot);
    hurdle.pilot.df = contrast(pilot.tests[i].sample, boundary)->df;
    hurdle.shape = shapes[i];
    // Sizes of earlier programs are those of Student's t.
    if (spec.design.reading) hurdle.method = pilot.tests[i].method, hurdle.sample = pilot.tests[i].sample;
    return true;
  });
  if (!hurdles) return std::nullopt;
  return [list = std::move(*hurdles), tests = tests_of(h, pilot)](int replicates) {
    double least = 1;
    for (const Hurdle& hurdle : list) {
      const double df = hurdle.shape.df(replicates);
      if (df < 1) return 0.0;
      const auto own = own_power(hurdle, replicates);
      least = std::min(least, own ? *own
                                  : std::min(stats::stein_power(hurdle.pilot, replicates),
                                             stats::fresh_power(hurdle.pilot, replicates, df)));
    }
    return std::max(0.0, 1 - tests * (1 - least));
  };
}

std::optional<PowerOfReplicates> power_in_blocks(const StudySpec& spec, const Hypothesis& h, double alpha,
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
  auto hurdles = hurdles_of(h, whole, alpha, [&](std::size_t i, const Boundary& boundary, Hurdle& hurdle) {
    std::vector<std::vector<double>> units;
    for (const std::vector<Test>& tests : inside) units.push_back(contrasts(tests[i].sample, boundary));
    const auto varies = stats::variance_components(units);
    if (!varies) return false;
    hurdle.varies = *varies;
    hurdle.pilot.df = static_cast<double>(units.size() - 1);
    return true;
  });
  if (!hurdles) return std::nullopt;
  const double efficiency = whole.tests.front().method->efficiency();
  return [list = std::move(*hurdles), tests = tests_of(h, whole), blocks, efficiency](int replicates) {
    double least = 1;
    for (Hurdle hurdle : list) {
      hurdle.pilot.variance = (hurdle.varies.between + hurdle.varies.within / replicates) / efficiency;
      least = std::min({least, stats::stein_power(hurdle.pilot, blocks),
                        stats::fresh_power(hurdle.pilot, blocks, static_cast<double>(blocks - 1))});
    }
    return std::max(0.0, 1 - tests * (1 - least));
  };
}

}  // namespace kernel
