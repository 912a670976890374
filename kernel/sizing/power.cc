#include "kernel/sizing/power.h"

#include <algorithm>
#include <cmath>

#include "kernel/evidence/blocks.h"
#include "kernel/inference/verdict.h"
#include "stats/error_rates/t_test_power.h"

namespace kernel {

namespace {

DesignShape shape_of(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings) {
  DesignShape shape{h.kind, spec.design.pairing, 0, 0, 0, in_blocks(spec)};
  for (const Setting& setting : settings) {
    shape.treatment_cells += static_cast<double>(setting.treatment.size());
    shape.control_cells += static_cast<double>(setting.control.size());
    if (h.kind == HypothesisKind::slope) shape.lines += 1;
  }
  return shape;
}

}  // namespace

double DesignShape::df(int replicates) const {
  const double n = replicates;
  const bool by_run = kind == HypothesisKind::slope && !blocks && !(pairing == Pairing::seed && lines > 1);
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

std::optional<double> power_of(const Hypothesis& h, const Test& test, double alpha) {
  const std::optional<TestReach> reached = reach_of(h, test);
  return reached ? std::optional(power_at(reached->reach, reached->df, alpha)) : std::nullopt;
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

}  // namespace kernel
