#include "kernel/inference/hypothesis_region.h"

#include <algorithm>
#include <cmath>

namespace kernel {

namespace {

/// A step of the given size from equality; `side` −1 is towards less, +1 towards more, in the ratio or the shift.
std::optional<Boundary> stepped(Margin::Kind kind, double size, double side, bool log) {
  if (!log) return kind == Margin::Kind::relative ? Boundary{1 + side * size, 0} : Boundary{1, side * size};
  if (size == 0) return Boundary{1, 0};
  if (kind == Margin::Kind::absolute || 1 + side * size <= 0) return std::nullopt;
  return Boundary{1, std::log1p(side * size)};
}

/// `smallest` beyond `from`, which was itself `margin` from equality on the same side.
std::optional<Boundary> beyond(const Boundary& from, const Margin& margin, const SmallestEffect& smallest, double side,
                               const Scales& scales) {
  const double k = smallest.value;
  if (!scales.log) {
    if (smallest.kind == SmallestEffect::Kind::absolute) return Boundary{from.ratio, from.shift + side * k};
    return Boundary{from.ratio + (scales.control < 0 ? -side : side) * k, from.shift};
  }
  if (smallest.kind == SmallestEffect::Kind::absolute) return std::nullopt;
  return stepped(Margin::Kind::relative, margin.value + k, side, true);
}

double gap(const Boundary& from, const Boundary& to, double control) {
  return std::abs((to.ratio - from.ratio) * control + to.shift - from.shift);
}

bool at_equality(const Hypothesis& h) {
  return h.direction == Direction::equal || (h.direction == Direction::not_worse && h.margin && h.margin->value > 0);
}

}  // namespace

std::variant<Region, std::string> region_of(const Hypothesis& h, const Scales& scales) {
  const Margin margin = h.margin.value_or(Margin{});
  const bool relative = margin.kind == Margin::Kind::relative;
  if (scales.log && !relative && margin.value != 0)
    return "an absolute margin cannot be judged on a logarithmic scale: give a relative one";
  if (h.direction == Direction::equal && margin.value == 0) return "`equal` needs a margin";
  if (h.kind == HypothesisKind::slope && relative && h.slope_value == 0 && margin.value != 0)
    return "a margin relative to a slope of 0 is empty: give an absolute one";

  std::optional<Boundary> low = stepped(margin.kind, margin.value, -1, scales.log);
  std::optional<Boundary> high = stepped(margin.kind, margin.value, 1, scales.log);
  // Around a negative control the smaller ratio is the larger value.
  const bool literal = h.direction == Direction::less || h.direction == Direction::greater;
  if (relative && !scales.log && scales.control < 0 && !literal) std::swap(low, high);

  Region region;
  switch (h.direction) {
    case Direction::less:
      region.below = low;
      break;
    case Direction::greater:
      region.above = high;
      break;
    case Direction::equal:
      region.above = low, region.below = high;
      break;
    case Direction::different:
      region.below = low, region.above = high, region.either = true;
      break;
    case Direction::not_worse:
      if (scales.goal == Goal::minimize) {
        region.below = high;
      } else {
        region.above = low;
      }
      break;
  }
  const bool needs_low =
      h.direction != Direction::greater && !(h.direction == Direction::not_worse && scales.goal == Goal::minimize);
  if (needs_low && !low) return "on a logarithmic scale nothing is less by 100 % or more";

  if (literal || h.direction == Direction::different) {
    if (h.smallest_effect.kind == SmallestEffect::Kind::sd) {
      region.far_sd = h.smallest_effect.value;
    } else {
      if (region.below) region.far_below = beyond(*region.below, margin, h.smallest_effect, -1, scales);
      if (region.above) region.far_above = beyond(*region.above, margin, h.smallest_effect, 1, scales);
    }
  }
  return region;
}

namespace {

double standard_deviations(const Sample& sample, const Boundary& at, const stats::Contrast& c, double count) {
  return c.standard_error > 0 ? count * unit_sd(sample, at) / c.standard_error : 0;
}

Side below_side(const Sample& sample, const Region& region) {
  const auto c = contrast(sample, *region.below);
  if (!c) return {};
  Side side{stats::p_less(*c), stats::p_greater(*c), 1};
  if (region.far_sd) {
    side.beyond = stats::p_not_below(*c, standard_deviations(sample, *region.below, *c, *region.far_sd));
  } else if (region.far_below) {
    if (const auto far = contrast(sample, *region.far_below)) side.beyond = stats::p_greater(*far);
  }
  return side;
}

Side above_side(const Sample& sample, const Region& region) {
  const auto c = contrast(sample, *region.above);
  if (!c) return {};
  Side side{stats::p_greater(*c), stats::p_less(*c), 1};
  if (region.far_sd) {
    side.beyond = stats::p_not_above(*c, standard_deviations(sample, *region.above, *c, *region.far_sd));
  } else if (region.far_above) {
    if (const auto far = contrast(sample, *region.far_above)) side.beyond = stats::p_less(*far);
  }
  return side;
}

/// Deterministic metrics lie inside or outside, without error; the boundary itself is outside.
PValues exactly(const Sample& sample, const Region& region) {
  const auto below = region.below ? contrast(sample, *region.below) : std::nullopt;
  const auto above = region.above ? contrast(sample, *region.above) : std::nullopt;
  const bool is_below = below && below->estimate < 0, is_above = above && above->estimate > 0;
  const bool held = region.either ? is_below || is_above : (!region.below || is_below) && (!region.above || is_above);
  return held ? PValues{0, 1, 1} : PValues{1, 0, 1};
}

}  // namespace

PValues both_sides(const Region& region, const Side& low, const Side& high) {
  if (!region.above) return {low.outside, low.inside, low.beyond};
  if (!region.below) return {high.outside, high.inside, high.beyond};
  const auto doubled = [](double p) { return std::min(1.0, 2 * p); };
  if (region.either) {
    // An effect that cannot be had on one side (more than 100 % less) needs no exclusion there.
    const bool one_sided = !region.far_sd && region.far_below.has_value() != region.far_above.has_value();
    const double beyond = one_sided ? std::min(low.beyond, high.beyond) : std::max(low.beyond, high.beyond);
    return {doubled(std::min(low.outside, high.outside)), doubled(std::max(low.inside, high.inside)), doubled(beyond)};
  }
  return {std::max(low.outside, high.outside), doubled(std::min(low.inside, high.inside)), 1};
}

PValues p_values(const Sample& sample, const Region& region) {
  if (std::holds_alternative<ExactSample>(sample)) return exactly(sample, region);
  return both_sides(region, region.below ? below_side(sample, region) : Side{},
                    region.above ? above_side(sample, region) : Side{});
}

std::optional<Alternative> alternative(const Hypothesis& h, const Region& region, const Scales& scales) {
  Alternative at;
  if (at_equality(h)) {
    const Boundary equality{1, 0};
    if (region.below) at.from_below = gap(*region.below, equality, scales.control);
    if (region.above) at.from_above = gap(*region.above, equality, scales.control);
    return at;
  }
  if (h.smallest_effect.kind == SmallestEffect::Kind::sd) {
    at.sd = h.smallest_effect.value;
    return at;
  }
  if (h.direction == Direction::not_worse) {  // Without a margin: better by the smallest effect.
    const double side = region.below ? -1 : 1;
    const std::optional<Boundary> better = beyond(Boundary{}, Margin{}, h.smallest_effect, side, scales);
    if (!better) return std::nullopt;
    (region.below ? at.from_below : at.from_above) = gap(Boundary{}, *better, scales.control);
    return at;
  }
  if (region.far_below) at.from_below = gap(*region.below, *region.far_below, scales.control);
  if (region.far_above) at.from_above = gap(*region.above, *region.far_above, scales.control);
  if (!at.from_below && !at.from_above) return std::nullopt;
  return at;
}

}  // namespace kernel
