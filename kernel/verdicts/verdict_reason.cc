#include "kernel/verdicts/verdict_reason.h"

#include <algorithm>

#include "kernel/wording/wording.h"

namespace kernel {

namespace {

std::string unit_of(const StudySpec& spec, const Hypothesis& h) {
  const Metric* metric = spec.metric(h.metric);
  // Of logarithms an interaction is a ratio of ratios.
  if (h.kind == HypothesisKind::slope || !metric) return "";
  if (h.kind == HypothesisKind::interaction && method_of(spec, h).units().logarithms) return "";
  return metric->unit;
}

const char* noun_of(const Hypothesis& h) {
  if (h.kind == HypothesisKind::slope) return "slope";
  return h.kind == HypothesisKind::interaction ? "interaction" : "effect";
}

ReasonValue end(std::optional<double> value) {
  if (value) return *value;
  return std::vector{Reason{ReasonCode::unbounded}};
}

/// The interval a reader should hold against the region: relative where the margin is.
Reason interval_of(const StudySpec& spec, const Hypothesis& h, const Test& t, const HypothesisResult& r) {
  const bool bounded = r.relative_low || r.relative_high;
  // Around a negative control a percentage points the other way.
  const bool readable = t.scales.log || t.scales.control > 0;
  const bool relative = h.margin && h.margin->kind == Margin::Kind::relative && bounded && readable;
  Reason interval{ReasonCode::interval, {{"level", r.level}, {"noun", noun_of(h)}}};
  if (relative) interval.code = ReasonCode::relative_interval;
  interval.values["low"] = end(relative ? r.relative_low : r.low);
  interval.values["high"] = end(relative ? r.relative_high : r.high);
  if (!relative) add_unit(interval, unit_of(spec, h));
  return interval;
}

Reason absolute_size(const StudySpec& spec, const Hypothesis& h, double size) {
  Reason absolute{ReasonCode::size_absolute, {{"size", size}}};
  add_unit(absolute, unit_of(spec, h));
  return absolute;
}

Reason smallest_of(const StudySpec& spec, const Hypothesis& h) {
  const double size = h.smallest_effect.value;
  switch (h.smallest_effect.kind) {
    case SmallestEffect::Kind::sd:
      return {ReasonCode::size_in_sd, {{"size", size}}};
    case SmallestEffect::Kind::relative:
      return {ReasonCode::size_relative, {{"size", size}}};
    case SmallestEffect::Kind::absolute:
      break;
  }
  return absolute_size(spec, h, size);
}

/// In standard deviations an effect is excluded by a test of its own: the interval is in another unit.
void add_sd(Reason& reason, const StudySpec& spec, const Hypothesis& h, const Test& t) {
  if (!t.sd || !(*t.sd > 0)) return;
  Reason known{t.scales.log ? ReasonCode::sd_known_in_logarithms : ReasonCode::sd_known, {{"sd", *t.sd}}};
  if (!t.scales.log) add_unit(known, unit_of(spec, h));
  reason.values["sd"] = std::vector{known};
}

/// The inverse of `deciding_level` for a refutation.
double refuting_alpha(Direction direction, double level) {
  const bool whole = direction == Direction::different || direction == Direction::equal;
  return (whole ? 1 - level : (1 - level) / 2) * (1 + 1e-12);
}

ReasonCode region_code(Direction direction, bool by) {
  switch (direction) {
    case Direction::less:
      return by ? ReasonCode::region_less_by : ReasonCode::region_less;
    case Direction::greater:
      return by ? ReasonCode::region_greater_by : ReasonCode::region_greater;
    case Direction::equal:
      return ReasonCode::region_equal;
    case Direction::different:
      return by ? ReasonCode::region_different_by : ReasonCode::region_different;
    case Direction::not_worse:
      break;
  }
  return by ? ReasonCode::region_not_worse : ReasonCode::region_better;
}

Reason hypothesised(const StudySpec& spec, const Hypothesis& h) {
  Reason than{ReasonCode::the_control};
  if (h.kind == HypothesisKind::slope)
    than = {ReasonCode::the_slope, {{"slope", h.slope_value}}};
  else if (h.kind == HypothesisKind::interaction)
    than = {ReasonCode::the_effect_at, {{"factor", h.along}, {"level", h.steps.front()}}};
  const bool by = h.margin && h.margin->value != 0;
  Reason region{region_code(h.direction, by), {{"than", std::vector{than}}}};
  if (by)
    region.values["by"] = std::vector{h.margin->kind == Margin::Kind::relative
                                          ? Reason{ReasonCode::size_relative, {{"size", h.margin->value}}}
                                          : absolute_size(spec, h, h.margin->value)};
  return region;
}

Reason exact_reason(const StudySpec& spec, const Hypothesis& h, const Test& t, Verdict verdict) {
  Reason exact{verdict == Verdict::supported ? ReasonCode::exactly_inside : ReasonCode::exactly_outside,
               {{"noun", noun_of(h)}, {"effect", t.effect}, {"region", std::vector{hypothesised(spec, h)}}}};
  add_unit(exact, unit_of(spec, h));
  return exact;
}

}  // namespace

void add_unit(Reason& reason, const std::string& unit) {
  if (!unit.empty() && unit != "1") reason.values["unit"] = unit;
}

std::string region_words(const StudySpec& spec, const Hypothesis& h, int wording) {
  return sentence(hypothesised(spec, h), wording);
}

Reason reason_of(const StudySpec& spec, const Hypothesis& h, const Test& t, const HypothesisResult& r,
                 double refuting) {
  if (t.method->units().exact) return exact_reason(spec, h, t, r.verdict);
  const Reason region = hypothesised(spec, h), smallest = smallest_of(spec, h);
  Reason why{ReasonCode::interval_inside,
             {{"interval", std::vector{interval_of(spec, h, t, r)}}, {"region", std::vector{region}}}};
  std::string levels;
  for (const auto& [factor, level] : t.setting) levels += (levels.empty() ? "" : ", ") + factor + "=" + level;
  if (!levels.empty()) why.values["where"] = std::vector{Reason{ReasonCode::at_levels, {{"levels", levels}}}};
  const auto with_p = [&why](ReasonCode code, double p) {
    why.code = code;
    why.values["p"] = p;
    return why;
  };
  const bool has_smallest = h.direction != Direction::equal && h.direction != Direction::not_worse;
  const bool in_sd = h.smallest_effect.kind == SmallestEffect::Kind::sd;
  switch (r.verdict) {
    case Verdict::supported:
      return why;
    case Verdict::refuted:
      why.code = ReasonCode::interval_outside;
      if (t.p.inside <= refuting_alpha(h.direction, r.level)) return why;
      why.code = ReasonCode::excluded;
      why.values["smallest"] = std::vector{smallest};
      if (!in_sd) return why;
      add_sd(why, spec, h, t);
      why.values["level"] = refuting;
      return with_p(ReasonCode::excluded_in_sd, t.p.beyond);
    case Verdict::inconclusive:
      break;
  }
  if (t.survivors) {
    // Each verdict must hold with the failed runs ranked worst for it; the interval knows only the others.
    const double alpha = (h.direction == Direction::different ? 1 - r.level : (1 - r.level) / 2) * (1 + 1e-12);
    if (t.survivors->outside <= alpha && t.p.outside > alpha)
      return with_p(ReasonCode::inside_without_failed, t.p.outside);
    const double of_others = std::min(t.survivors->inside, t.survivors->beyond);
    const double of_all = std::min(t.p.inside, t.p.beyond);
    if (of_others <= refuting && of_all > refuting) return with_p(ReasonCode::against_without_failed, of_all);
  }
  const bool without_margin = !h.margin || h.margin->value == 0;
  if (t.method->exact_at_equality() && without_margin && ((r.high && *r.high < 0) || (r.low && *r.low > 0))) {
    why.values.erase("region");
    return with_p(ReasonCode::exact_test_open, t.p.outside);
  }
  why.code = ReasonCode::open_across;
  if (!has_smallest) return why;
  why.code = ReasonCode::open_between;
  why.values["smallest"] = std::vector{smallest};
  if (!in_sd) return why;
  add_sd(why, spec, h, t);
  return with_p(ReasonCode::open_in_sd, t.p.beyond);
}

Reason crossover_reason(const StudySpec& spec, const Hypothesis& h, const Test& first, const Test& later,
                        const HypothesisResult& r) {
  const auto at = [&](const Test& test) {
    Reason place{ReasonCode::effect_at_level, {{"factor", h.along}, {"at", test.setting.at(h.along)}}};
    add_unit(place, unit_of(spec, h));
    if (test.method->units().exact) {
      place.values["effect"] = test.effect;
      return std::vector{place};
    }
    const stats::Interval i = test.interval(r.level);
    place.code = ReasonCode::interval_at_level;
    place.values.insert({{"level", r.level}, {"low", end(i.low)}, {"high", end(i.high)}});
    return std::vector{place};
  };
  Reason both{ReasonCode::sign_open, {{"first", at(first)}, {"later", at(later)}}};
  if (r.verdict == Verdict::supported) both.code = ReasonCode::sign_changes;
  if (r.verdict == Verdict::refuted) {
    both.code = ReasonCode::sign_changes_not_so;
    both.values["factor"] = h.along;
  }
  return both;
}

}  // namespace kernel
