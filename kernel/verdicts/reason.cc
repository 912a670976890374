#include "kernel/verdicts/reason.h"

#include <algorithm>

#include <fmt/format.h>

#include "prose/numbers.h"

namespace kernel {

namespace {

std::string unit_of(const StudySpec& spec, const Hypothesis& h) {
  const Metric* metric = spec.metric(h.metric);
  // Of logarithms an interaction is a ratio of ratios.
  if (h.kind == HypothesisKind::slope || !metric || metric->unit.empty() || metric->unit == "1") return "";
  if (h.kind == HypothesisKind::interaction && method_of(spec, h).units().logarithms) return "";
  return " " + metric->unit;
}

const char* noun_of(const Hypothesis& h) {
  if (h.kind == HypothesisKind::slope) return "slope";
  return h.kind == HypothesisKind::interaction ? "interaction" : "effect";
}

std::string end(std::optional<double> value, double factor) {
  return value ? fmt::format("{:.4g}", *value * factor) : "unbounded";
}

/// The interval a reader should hold against the region: relative where the margin is.
std::string interval_words(const StudySpec& spec, const Hypothesis& h, const Test& t, const HypothesisResult& r) {
  const char* noun = noun_of(h);
  const bool bounded = r.relative_low || r.relative_high;
  // Around a negative control a percentage points the other way.
  const bool readable = t.scales.log || t.scales.control > 0;
  const bool relative = h.margin && h.margin->kind == Margin::Kind::relative && bounded && readable;
  if (relative)
    return fmt::format("the {} interval of the relative {}, {} to {} %", prose::share_text(r.level), noun,
                       end(r.relative_low, 100), end(r.relative_high, 100));
  return fmt::format("the {} interval of the {}, {} to {}{}", prose::share_text(r.level), noun, end(r.low, 1),
                     end(r.high, 1), unit_of(spec, h));
}

std::string smallest_words(const StudySpec& spec, const Hypothesis& h) {
  switch (h.smallest_effect.kind) {
    case SmallestEffect::Kind::sd:
      return fmt::format("{:.4g} standard deviation{}", h.smallest_effect.value,
                         h.smallest_effect.value == 1 ? "" : "s");
    case SmallestEffect::Kind::relative:
      return prose::share_text(h.smallest_effect.value);
    case SmallestEffect::Kind::absolute:
      break;
  }
  return fmt::format("{:.4g}{}", h.smallest_effect.value, unit_of(spec, h));
}

/// In standard deviations an effect is excluded by a test of its own: the interval is in another unit.
std::string far_words(const StudySpec& spec, const Hypothesis& h, const Test& t) {
  const std::string unit = t.scales.log ? " in logarithms" : unit_of(spec, h);
  return fmt::format("every effect that goes {}{} or more beyond it", smallest_words(spec, h),
                     t.sd && *t.sd > 0 ? fmt::format(" (of {:.3g}{})", *t.sd, unit) : "");
}

/// The inverse of `deciding_level` for a refutation.
double refuting_alpha(Direction direction, double level) {
  const bool whole = direction == Direction::different || direction == Direction::equal;
  return (whole ? 1 - level : (1 - level) / 2) * (1 + 1e-12);
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string exact_reason(const StudySpec& spec, const Hypothesis& h, const Test& t, Verdict verdict) {
  const char* noun = noun_of(h);
  const std::string what = fmt::format("the {} is {:.6g}{}", noun, t.effect, unit_of(spec, h));
  return fmt::format("On exactly these inputs {}, which is {}{}.", what, verdict == Verdict::supported ? "" : "not ",
                     region_words(spec, h));
}

}  // namespace

std::string region_words(const StudySpec& spec, const Hypothesis& h) {
  const bool slope = h.kind == HypothesisKind::slope;
  const std::string than = slope                                   ? fmt::format("{:.6g}", h.slope_value)
                           : h.kind == HypothesisKind::interaction ? "the effect at " + h.along + "=" + h.steps.front()
                                                                   : "the control";
  std::string by;
  if (h.margin && h.margin->value != 0)
    by = h.margin->kind == Margin::Kind::relative ? prose::share_text(h.margin->value)
                                                  : fmt::format("{:.4g}{}", h.margin->value, unit_of(spec, h));
  const std::string more_than = by.empty() ? "" : "more than " + by + " ";
  switch (h.direction) {
    case Direction::less:
      return more_than + "less than " + than;
    case Direction::greater:
      return more_than + (by.empty() ? "greater than " : "above ") + than;
    case Direction::equal:
      return "within " + by + " of " + than;
    case Direction::different:
      return more_than + (by.empty() ? "different from " : "away from ") + than;
    case Direction::not_worse:
      break;
  }
  return by.empty() ? "better than " + than : "not worse than " + than + " by " + by;
}

std::string reason_of(const StudySpec& spec, const Hypothesis& h, const Test& t, const HypothesisResult& r,
                      double refuting) {
  std::string where;
  for (const auto& [factor, level] : t.setting) where += (where.empty() ? " at " : ", ") + factor + "=" + level;
  if (t.method->units().exact) return exact_reason(spec, h, t, r.verdict);
  const std::string interval = capitalised(interval_words(spec, h, t, r));
  const std::string region = region_words(spec, h);
  const bool has_smallest = h.direction != Direction::equal && h.direction != Direction::not_worse;
  const std::string smallest = fmt::format("every effect that goes {} or more beyond it", smallest_words(spec, h));
  const std::string inside = fmt::format("inside what was hypothesised ({})", region);
  const bool in_sd = h.smallest_effect.kind == SmallestEffect::Kind::sd;
  switch (r.verdict) {
    case Verdict::supported:
      return fmt::format("{}{}, lies wholly {}.", interval, where, inside);
    case Verdict::refuted:
      if (t.p.inside <= refuting_alpha(h.direction, r.level))
        return fmt::format("{}{}, lies wholly outside what was hypothesised ({}).", interval, where, region);
      if (in_sd)
        return fmt::format(
            "A test in standard deviations excludes{} {}: p is {:.2g}, and {:.2g} suffices. {}, does not lie {}.",
            where, far_words(spec, h, t), t.p.beyond, refuting, interval, inside);
      return fmt::format("{}{}, does not lie {}, and excludes {}.", interval, where, inside, smallest);
    case Verdict::inconclusive:
      break;
  }
  if (t.survivors) {
    // Each verdict must hold with the failed runs ranked worst for it; the interval knows only the others.
    const double alpha = (h.direction == Direction::different ? 1 - r.level : (1 - r.level) / 2) * (1 + 1e-12);
    const char* const only = "but only among the runs that succeeded: with the failed ones ranked";
    if (t.survivors->outside <= alpha && t.p.outside > alpha)
      return fmt::format("{}{}, lies wholly {}, {} worst for it, p is {:.2g}.", interval, where, inside, only,
                         t.p.outside);
    const double of_others = std::min(t.survivors->inside, t.survivors->beyond);
    const double of_all = std::min(t.p.inside, t.p.beyond);
    if (of_others <= refuting && of_all > refuting)
      return fmt::format("{}{}, speaks against what was hypothesised ({}), {} best for it, p is {:.2g}.", interval,
                         where, region, only, of_all);
  }
  const bool without_margin = !h.margin || h.margin->value == 0;
  if (t.method->exact_at_equality() && without_margin && ((r.high && *r.high < 0) || (r.low && *r.low > 0)))
    return fmt::format("{}{}, does not contain 0, but the exact test's p of {:.2g} does not suffice.", interval, where,
                       t.p.outside);
  if (has_smallest && in_sd)
    return fmt::format("{}{}, does not lie wholly {}, nor does a test in standard deviations exclude {}: p is {:.2g}.",
                       interval, where, inside, far_words(spec, h, t), t.p.beyond);
  return has_smallest ? fmt::format("{}{}, neither lies wholly {} nor excludes {}.", interval, where, inside, smallest)
                      : fmt::format("{}{}, lies neither wholly inside nor wholly outside what was hypothesised ({}).",
                                    interval, where, region);
}

std::string crossover_reason(const StudySpec& spec, const Hypothesis& h, const Test& first, const Test& later,
                             const HypothesisResult& r) {
  const std::string unit = unit_of(spec, h);
  const auto at = [&](const Test& test) {
    const std::string place = h.along + "=" + test.setting.at(h.along);
    if (test.method->units().exact) return fmt::format("at {} the effect is {:.6g}{}", place, test.effect, unit);
    const stats::Interval i = test.interval(r.level);
    return fmt::format("at {} the {} interval of the effect is {} to {}{}", place, prose::share_text(r.level),
                       end(i.low, 1), end(i.high, 1), unit);
  };
  const std::string both = capitalised(at(first)) + ", and " + at(later);
  switch (r.verdict) {
    case Verdict::supported:
      return both + ": its sign changes as hypothesised.";
    case Verdict::refuted:
      return fmt::format("Along {} the effect's sign is shown at every level, and does not change so: {}.", h.along,
                         at(first) + ", and " + at(later));
    case Verdict::inconclusive:
      break;
  }
  return both + ": neither is a change of sign shown, nor that there is none.";
}

}  // namespace kernel
