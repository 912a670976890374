#include "kernel/inference/hypothesis_region.h"

#include <algorithm>
#include <cmath>

namespace kernel {

namespace {

/// A boundary at the given size from equality, in the ratio or the shift; `side` is −1 for less and +1 for more.
std::optional<Boundary> stepped(Margin::Kind kind, double size, double side, bool log) {
  if (!log) return kind == Margin::Kind::relative ? Boundary{1 + side * size, 0} : Boundary{1, side * size};
  if (size == 0) return Boundary{1, 0};
  if (kind == Margin::Kind::absolute || 1 + side * size <= 0) return std::nullopt;
  return Boundary{1, std::log1p(side * size)};
}

/// The boundary `smallest` beyond `from`, which is `margin` from equality on the same side.
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

/// The boundary beyond which a refutation must place the effect; none if it needs an `sd` that is unknown.
std::optional<Boundary> beyond_of(const Region& region, bool above, std::optional<double> sd) {
  const Boundary& from = above ? *region.above : *region.below;
  if (!region.far_sd) return above ? region.far_above : region.far_below;
  if (!sd) return std::nullopt;
  return Boundary{from.ratio, from.shift + (above ? 1 : -1) * *region.far_sd * *sd};
}

double gap(const Boundary& from, const Boundary& to, double control) {
  return std::abs((to.ratio - from.ratio) * control + to.shift - from.shift);
}

}  // namespace

std::variant<Region, Reason> region_of(const Hypothesis& h, const Scales& scales) {
  const Margin margin = h.margin.value_or(Margin{});
  const bool relative = margin.kind == Margin::Kind::relative;
  if (scales.log && !relative && margin.value != 0) return Reason{ReasonCode::absolute_on_logarithms};
  if (h.direction == Direction::equal && margin.value == 0) return Reason{ReasonCode::equal_without_margin};
  if (h.kind == HypothesisKind::slope && relative && h.slope_value == 0 && margin.value != 0)
    return Reason{ReasonCode::relative_to_no_slope};

  std::optional<Boundary> low = stepped(margin.kind, margin.value, -1, scales.log);
  std::optional<Boundary> high = stepped(margin.kind, margin.value, 1, scales.log);
  // With a negative control, the smaller ratio gives the larger value.
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
      if (scales.goal == Goal::minimize)
        region.below = high;
      else
        region.above = low;
      break;
  }
  const bool needs_low =
      h.direction != Direction::greater && !(h.direction == Direction::not_worse && scales.goal == Goal::minimize);
  if (needs_low && !low) return Reason{ReasonCode::less_than_nothing};

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

PValues both_sides(const Region& region, const Side& low, const Side& high) {
  if (!region.above) return {low.outside, low.inside, low.beyond};
  if (!region.below) return {high.outside, high.inside, high.beyond};
  const auto doubled = [](double p) { return std::min(1.0, 2 * p); };
  if (region.either) {
    // If an effect is impossible on one side (more than 100 % less), it needs no exclusion there.
    const bool one_sided = !region.far_sd && region.far_below.has_value() != region.far_above.has_value();
    const double beyond = one_sided ? std::min(low.beyond, high.beyond) : std::max(low.beyond, high.beyond);
    return {doubled(std::min(low.outside, high.outside)), std::max(low.inside, high.inside), beyond};
  }
  return {std::max(low.outside, high.outside), doubled(std::min(low.inside, high.inside)), 1};
}

PValues p_values(const Region& region, std::optional<double> sd, const std::function<double(const Boundary&)>& less,
                 const std::function<double(const Boundary&)>& greater) {
  Side below, above;
  if (region.below) {
    below = {less(*region.below), greater(*region.below), 1};
    if (const auto beyond = beyond_of(region, false, sd)) below.beyond = greater(*beyond);
  }
  if (region.above) {
    above = {greater(*region.above), less(*region.above), 1};
    if (const auto beyond = beyond_of(region, true, sd)) above.beyond = less(*beyond);
  }
  return both_sides(region, below, above);
}

std::optional<Alternative> alternative(const Hypothesis& h, const Region& region, const Scales& scales) {
  Alternative at;
  const bool not_worse = h.direction == Direction::not_worse;
  if (h.direction == Direction::equal || (not_worse && h.margin && h.margin->value > 0)) {
    const Boundary equality{1, 0};
    if (region.below) at.from_below = gap(*region.below, equality, scales.control);
    if (region.above) at.from_above = gap(*region.above, equality, scales.control);
    return at;
  }
  if (h.smallest_effect.kind == SmallestEffect::Kind::sd) {
    at.sd = h.smallest_effect.value;
    return at;
  }
  if (not_worse) {  // Without a margin, the truth is better by the smallest effect.
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
