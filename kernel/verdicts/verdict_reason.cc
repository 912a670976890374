#include "kernel/verdicts/verdict_reason.h"

#include <algorithm>
#include <cmath>

#include "kernel/sizing/power.h"
#include "kernel/wording/wording.h"

namespace kernel {

namespace {

std::string unit_of(const StudySpec& spec, const Hypothesis& h) {
  const Metric* metric = spec.metric(h.metric);
  // On logarithms, an interaction is a ratio of ratios, without a unit.
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

/// The interval to compare with the region: relative if the margin is relative.
Reason interval_of(const StudySpec& spec, const Hypothesis& h, const Test& t, const HypothesisResult& r) {
  const bool bounded = r.relative_low || r.relative_high;
  // Relative to a negative control, a percentage has the opposite sign.
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

/// Adds the standard deviation to a reason about a smallest effect in standard deviations, which has its own test.
void add_sd(Reason& reason, const StudySpec& spec, const Hypothesis& h, const Test& t) {
  if (!t.sd || !(*t.sd > 0)) return;
  Reason known{t.scales.log ? ReasonCode::sd_known_in_logarithms : ReasonCode::sd_known, {{"sd", *t.sd}}};
  if (!t.scales.log) add_unit(known, unit_of(spec, h));
  reason.values["sd"] = std::vector{known};
}

/// The inverse of `interval_level` for a refutation by the rule `smallest_effect`.
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

/// Whether an interval by ranks, on the scale of the margin, ends where the region begins. It is closed, and its test
/// may reject that value itself if values tie.
bool ends_at_edge(const StudySpec& spec, const Hypothesis& h, const Test& t, const Reason& interval) {
  const double by = h.margin ? h.margin->value : 0;
  const bool relative = interval.code == ReasonCode::relative_interval;
  if (std::string_view(t.method->name()) != "rank" ||
      (by != 0 && relative != (h.margin->kind == Margin::Kind::relative)))
    return false;
  const auto is_at = [&](const char* end, double edge) {
    const auto* value = std::get_if<double>(&interval.values.at(end));
    constexpr double rounding = 1e-12;
    return value && std::abs(*value - edge) <= rounding * std::abs(edge);
  };
  const Metric* metric = spec.metric(h.metric);
  switch (h.direction) {
    case Direction::greater:
      return is_at("low", by);
    case Direction::less:
      return is_at("high", -by);
    case Direction::different:
      return is_at("low", by) || is_at("high", -by);
    case Direction::equal:
      return is_at("low", -by) || is_at("high", by);
    case Direction::not_worse:
      break;
  }
  return metric && metric->goal == Goal::maximize ? is_at("low", -by) : is_at("high", by);
}

Reason exact_reason(const StudySpec& spec, const Hypothesis& h, const Test& t, Verdict verdict) {
  Reason exact{verdict == Verdict::supported ? ReasonCode::exactly_inside : ReasonCode::exactly_outside,
               {{"noun", noun_of(h)}, {"effect", t.effect}, {"region", std::vector{hypothesised(spec, h)}}}};
  add_unit(exact, unit_of(spec, h));
  if (spec.design.rule == VerdictRule::one_interval && !spec.passes_seed())
    return {ReasonCode::exact_fixed_seed, {{"reason", std::vector{exact}}}};
  return exact;
}

/// What the test could have found.
std::vector<Reason> detectable_size(const StudySpec& spec, const Hypothesis& h, const Test& t, double alpha) {
  const auto size = detectable(h, t, alpha, spec.design.power);
  if (!size) return {};
  const double relative = std::expm1(*size);
  if (t.scales.log && !std::isfinite(relative)) return {};
  return {{*size > 0 ? ReasonCode::could_be_detected : ReasonCode::no_width_no_size,
           {{"size", std::vector{t.scales.log ? Reason{ReasonCode::size_relative, {{"size", relative}}}
                                              : absolute_size(spec, h, *size)}},
            {"power", spec.design.power}}}};
}

/// The reasons of the rule `one_interval`; `interval` holds interval, region and place.
Reason interval_reason(const StudySpec& spec, const Hypothesis& h, const Test& t, const HypothesisResult& r,
                       const DecidedAt& at, Reason interval) {
  const bool relevance = h.judges_relevance();
  if (relevance) interval.values["smallest"] = std::vector{smallest_of(spec, h)};
  switch (r.verdict) {
    case Verdict::supported:
      if (relevance && t.p.beyond <= at.support) {
        interval.code = ReasonCode::supported_but_small;
        interval.values.erase("p");
      }
      return interval;
    case Verdict::refuted:
      interval.code = ReasonCode::interval_outside;
      return interval;
    case Verdict::no_relevant_effect:
      interval.code = h.direction == Direction::less      ? ReasonCode::no_relevant_less
                      : h.direction == Direction::greater ? ReasonCode::no_relevant_greater
                                                          : ReasonCode::no_relevant_different;
      return interval;
    case Verdict::inconclusive:
      break;
  }
  if (t.survivors) {
    const auto failed = [&](ReasonCode code, double with, double without, double level) {
      interval.code = code;
      interval.values.insert({{"p", with}, {"without", without}, {"level", level}});
      return interval;
    };
    const PValues& others = *t.survivors;
    if (others.outside <= at.support && t.p.outside > at.support)
      return failed(ReasonCode::failed_against_support, t.p.outside, others.outside, at.support);
    const double against = std::min(others.inside, others.beyond), all = std::min(t.p.inside, t.p.beyond);
    if (against <= at.against && all > at.against)
      return failed(ReasonCode::failed_for_support, all, against, at.against);
  }
  interval.values["detectable"] = detectable_size(spec, h, t, at.slot);
  const bool without_margin = !h.margin || h.margin->value == 0;
  interval.code = relevance ? ReasonCode::too_few_runs_for_smallest : ReasonCode::too_few_runs;
  if (t.method->exact_at_equality() && without_margin && ((r.high && *r.high < 0) || (r.low && *r.low > 0))) {
    interval.code = ReasonCode::too_few_runs_exact;
    interval.values["p"] = t.p.outside;
  } else if (r.low && r.high && *r.low == *r.high) {
    interval.code = ReasonCode::no_width_no_verdict;
    interval.values.insert({{"p", t.p.outside}, {"against", std::min(t.p.inside, t.p.beyond)}});
  }
  return interval;
}

}  // namespace

void add_unit(Reason& reason, const std::string& unit) {
  if (!unit.empty() && unit != "1") reason.values["unit"] = unit;
}

std::string region_words(const StudySpec& spec, const Hypothesis& h, int wording) {
  return sentence(hypothesised(spec, h), wording);
}

Reason reason_of(const StudySpec& spec, const Hypothesis& h, const Test& t, const HypothesisResult& r,
                 const DecidedAt& at) {
  if (t.method->units().exact) return exact_reason(spec, h, t, r.verdict);
  const Reason region = hypothesised(spec, h), smallest = smallest_of(spec, h);
  Reason why{ReasonCode::interval_inside,
             {{"interval", std::vector{interval_of(spec, h, t, r)}}, {"region", std::vector{region}}}};
  std::string levels;
  for (const auto& [factor, level] : t.setting) levels += (levels.empty() ? "" : ", ") + factor + "=" + level;
  if (!levels.empty()) why.values["where"] = std::vector{Reason{ReasonCode::at_levels, {{"levels", levels}}}};
  const Reason& interval = std::get<std::vector<Reason>>(why.values.at("interval")).front();
  if (r.verdict == Verdict::supported && h.kind != HypothesisKind::slope && ends_at_edge(spec, h, t, interval)) {
    why.code = ReasonCode::interval_inside_but_end;
    why.values["p"] = t.p.outside;
  }
  if (spec.design.rule == VerdictRule::one_interval) return interval_reason(spec, h, t, r, at, std::move(why));
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
      why.values["level"] = at.against;
      return with_p(ReasonCode::excluded_in_sd, t.p.beyond);
    case Verdict::no_relevant_effect:
    case Verdict::inconclusive:
      break;
  }
  if (t.survivors) {
    // The verdict must hold with failed runs ranked worst for it; the interval is of the other runs only.
    const double alpha = (h.direction == Direction::different ? 1 - r.level : (1 - r.level) / 2) * (1 + 1e-12);
    if (t.survivors->outside <= alpha && t.p.outside > alpha)
      return with_p(ReasonCode::inside_without_failed, t.p.outside);
    const double of_others = std::min(t.survivors->inside, t.survivors->beyond);
    const double of_all = std::min(t.p.inside, t.p.beyond);
    if (of_others <= at.against && of_all > at.against) return with_p(ReasonCode::against_without_failed, of_all);
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

Reason before_ties(Reason reason) {
  switch (reason.code) {
    case ReasonCode::interval_inside_but_end:
      reason.code = ReasonCode::interval_inside;
      reason.values.erase("p");
      break;
    case ReasonCode::no_width_no_verdict:
      reason.code =
          reason.values.contains("smallest") ? ReasonCode::too_few_runs_for_smallest : ReasonCode::too_few_runs;
      for (const char* value : {"p", "against"}) reason.values.erase(value);
      break;
    case ReasonCode::no_width_no_size:
      reason.code = ReasonCode::could_be_detected;
      break;
    case ReasonCode::equal_on_every_unit:
      reason.code = ReasonCode::same_on_every_unit;
      break;
    default:
      break;
  }
  for (auto& [name, value] : reason.values)
    if (auto* parts = std::get_if<std::vector<Reason>>(&value))
      for (Reason& part : *parts) part = before_ties(std::move(part));
  return reason;
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
