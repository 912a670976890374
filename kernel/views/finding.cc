#include "kernel/views/finding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/domain/cells.h"
#include "kernel/evidence/blocks.h"
#include "kernel/views/result_text.h"
#include "prose/numbers.h"

namespace kernel {

namespace {

/// "a, b and c".
std::string listed(const std::vector<std::string>& items) {
  if (items.size() < 2) return items.empty() ? "" : items.front();
  return fmt::format("{} and {}", fmt::join(items.begin(), items.end() - 1, ", "), items.back());
}

/// "on average over n", "in every cell of n and data"; empty if the hypothesis names every factor.
std::string crossed_over(const StudySpec& spec, const Hypothesis& h) {
  std::vector<std::string> crossed;
  for (const Factor& factor : spec.factors) {
    const bool named = h.where.contains(factor.name) || h.treatment.contains(factor.name) ||
                       h.control.contains(factor.name) || h.along == factor.name;
    if (!named && factor.levels.size() > 1 && !is_block(spec, factor.name)) crossed.push_back(factor.name);
  }
  if (crossed.empty()) return "";
  return (h.over == Over::every ? "in every cell of " : "on average over ") + listed(crossed);
}

std::string sized(bool relative, double value, const std::string& unit) {
  return relative ? prose::percent(value) : prose::with_unit(prose::rounded(value), unit);
}

/// What is compared with what, and where.
struct Parts {
  std::string subject, object, where, margin;
};

Parts parts_of(const StudySpec& spec, const Hypothesis& h) {
  const std::string over = crossed_over(spec, h);
  Parts parts;
  parts.where = (h.where.empty() ? "" : "; where " + cell_text(h.where)) +
                (over.empty() ? "" : (h.where.empty() ? "; " : ", ") + over);
  if (h.margin) parts.margin = sized(h.margin->kind == Margin::Kind::relative, h.margin->value, effect_unit(spec, h));
  if (h.kind == HypothesisKind::slope) {
    static constexpr const char* scales[] = {"linear", "log-log", "semi-log", "lin-log"};
    parts.subject = fmt::format("{} slope of {} along {}{}", scales[static_cast<std::size_t>(h.slope_scale)], h.metric,
                                h.along, h.treatment.empty() ? "" : " for " + cell_text(h.treatment));
    parts.object = prose::rounded(h.slope_value);
  } else if (h.kind == HypothesisKind::interaction) {
    parts.subject = fmt::format("what {} under {} differs by from that under {} at {} = {}", h.metric,
                                cell_text(h.treatment), cell_text(h.control), h.along, h.steps.back());
    parts.object = fmt::format("that at {} = {}", h.along, h.steps.front());
  } else {
    parts.subject = fmt::format("{} under {}", h.metric, cell_text(h.treatment));
    parts.object = "that under " + cell_text(h.control);
  }
  return parts;
}

std::string crossover_words(const StudySpec& spec, const Hypothesis& h) {
  static constexpr const char* changes[] = {"from lower to higher", "from higher to lower", "", "its side"};
  return fmt::format("{} under treatment changes {}, against control, along {} ({}): {} against {}{}", h.metric,
                     changes[static_cast<std::size_t>(h.direction)], h.along, fmt::join(h.steps, ", "),
                     cell_text(h.treatment), cell_text(h.control), parts_of(spec, h).where);
}

std::string with_verb(const Parts& p, const char* verb, const std::string& by) {
  return fmt::format("{} {} {}{}{}", p.subject, verb, p.object, by, p.where);
}

/// The contrary, which holds if the interval lies in the complement of the region.
std::string contrary(const Hypothesis& h, const Parts& p) {
  const std::string beyond = p.margin.empty() ? "" : " by more than " + p.margin;
  switch (h.direction) {
    case Direction::less:
      return with_verb(p, "is not less than", beyond);
    case Direction::greater:
      return with_verb(p, "is not greater than", beyond);
    case Direction::equal:
      return with_verb(p, "differs from", beyond);
    case Direction::different:
      return with_verb(p, "differs from", " by no more than " + (p.margin.empty() ? "nothing" : p.margin));
    case Direction::not_worse:
      return with_verb(p, "is worse than", beyond);
  }
  return p.subject;
}

std::string without_size(const StudySpec& spec, const Hypothesis& h, const Parts& p) {
  const SmallestEffect& smallest = h.smallest_effect;
  const std::string size = sized(smallest.kind == SmallestEffect::Kind::relative, smallest.value, effect_unit(spec, h));
  if (h.direction == Direction::different) return with_verb(p, "differs from", " by less than " + size);
  return with_verb(p, h.direction == Direction::less ? "is not less than" : "is not greater than",
                   " by " + size + " or more");
}

}  // namespace

std::string tested_words(const StudySpec& spec, const Hypothesis& h) {
  if (h.kind == HypothesisKind::crossover) return crossover_words(spec, h);
  const Parts p = parts_of(spec, h);
  const std::string beyond = p.margin.empty() ? "" : " by more than " + p.margin;
  switch (h.direction) {
    case Direction::less:
      return with_verb(p, "is less than", beyond);
    case Direction::greater:
      return with_verb(p, "is greater than", beyond);
    case Direction::equal:
      return with_verb(p, "equals", p.margin.empty() ? "" : " to within " + p.margin);
    case Direction::different:
      return with_verb(p, "differs from", beyond);
    case Direction::not_worse:
      return with_verb(p, "is not worse than", beyond);
  }
  return p.subject;
}

std::string finding_words(const StudySpec& spec, const HypothesisRecord& record) {
  const Hypothesis& h = record.hypothesis;
  const Verdict verdict =
      record.result && !record.exploratory && record.withdrawn.empty() ? record.result->verdict : Verdict::inconclusive;
  switch (verdict) {
    case Verdict::supported:
      return tested_words(spec, h);
    case Verdict::refuted:
      return h.kind == HypothesisKind::crossover ? "it is not so that " + tested_words(spec, h)
                                                 : contrary(h, parts_of(spec, h));
    case Verdict::no_relevant_effect:
      return without_size(spec, h, parts_of(spec, h));
    case Verdict::inconclusive:
      break;
  }
  return "it is not decided whether " + tested_words(spec, h);
}

namespace {

/// The result on the scale of the hypothesis's margin, as a difference from what it is compared with.
struct Difference {
  std::optional<double> effect, low, high;

  /// -1 or 1 if the interval is wholly below or above; else 0.
  int side() const { return high && *high < 0 ? -1 : low && *low > 0 ? 1 : 0; }
};

Difference difference_of(const HypothesisRecord& record, bool relative) {
  const HypothesisResult& r = *record.result;
  if (relative) return {r.effect_relative, r.relative_low, r.relative_high};
  Difference d{r.effect, r.low, r.high};
  if (record.hypothesis.kind == HypothesisKind::slope)
    for (auto* value : {&d.effect, &d.low, &d.high})
      if (*value) **value -= record.hypothesis.slope_value;
  return d;
}

/// "time_ms under a is 97.90 % less than that under b, 99 % interval [97.68 %, 98.10 %]".
std::string amount_words(const StudySpec& spec, const HypothesisRecord& record, const ShownResult& s) {
  const Parts p = parts_of(spec, record.hypothesis);
  const Difference d = difference_of(record, s.relative);
  const auto interval = [&](const std::string& bounds) {
    return s.main_interval().missing ? "" : fmt::format(", {} interval {}", s.level.text, bounds);
  };
  if (d.side() == 0 && (d.low || d.high))
    return fmt::format("{} differs from {} by {}{}", p.subject, p.object, s.main_effect().text,
                       interval(s.main_interval().text));
  const bool less = *d.effect < 0;
  const auto size = [&](std::optional<double> value) { return value && less ? std::optional(-*value) : value; };
  const std::optional<double> low = size(less ? d.high : d.low), high = size(less ? d.low : d.high);
  const auto half = prose::half_width(d.low, d.effect, d.high);
  const std::string unit = effect_unit(spec, record.hypothesis);
  const std::string amount = s.relative ? prose::percent(*size(d.effect), half)
                                        : prose::with_unit(prose::rounded(*size(d.effect), half), unit);
  return fmt::format("{} is {} {} than {}{}", p.subject, amount, less ? "less" : "greater", p.object,
                     interval(s.relative ? prose::percent_interval_text(low, high, half)
                                         : prose::with_unit(prose::interval_text(low, high, half), unit)));
}

/// "-6.2 ms at n = 500, 3.1 ms at n = 2000"
std::string effects_along(const StudySpec& spec, const HypothesisRecord& record) {
  const std::string unit = effect_unit(spec, record.hypothesis);
  std::string text;
  for (const SettingResult& setting : record.result->settings) {
    if (!setting.effect) continue;
    const auto half = prose::half_width(setting.low, setting.effect, setting.high);
    text += fmt::format("{}{} at {}", text.empty() ? "" : ", ",
                        prose::with_unit(prose::rounded(*setting.effect, half), unit), cell_text(setting.levels));
  }
  return text;
}

}  // namespace

std::string found_words(const StudySpec& spec, const HypothesisRecord& record) {
  const Hypothesis& h = record.hypothesis;
  const bool refuted =
      record.result && !record.exploratory && record.withdrawn.empty() && record.result->verdict == Verdict::refuted;
  const bool one_sided =
      h.direction == Direction::less || h.direction == Direction::greater || h.direction == Direction::equal;
  if (!refuted || !one_sided || h.kind == HypothesisKind::crossover) return finding_words(spec, record);
  const int side = difference_of(record, shown(spec, record).relative).side();
  const Parts p = parts_of(spec, h);
  const bool as_claimed = h.direction == (side < 0 ? Direction::less : Direction::greater);
  if (side == 0 || (as_claimed && p.margin.empty())) return finding_words(spec, record);
  const char* const verb = side < 0 ? "is less than" : "is greater than";
  if (h.direction == Direction::equal && !p.margin.empty()) return with_verb(p, verb, " by more than " + p.margin);
  return with_verb(p, verb, as_claimed ? ", but not by more than " + p.margin : "");
}

std::string size_words(const StudySpec& spec, const HypothesisRecord& record) {
  const Hypothesis& h = record.hypothesis;
  const Parts p = parts_of(spec, h);
  if (!record.result || !record.withdrawn.empty())
    return fmt::format("{} was not measured: {}", p.subject,
                       record.withdrawn.empty() ? "its experiment is not analysed" : "the hypothesis was withdrawn");
  const ShownResult s = shown(spec, record);
  if (h.kind == HypothesisKind::crossover)
    if (const std::string effects = effects_along(spec, record); !effects.empty())
      return fmt::format("{} under {} minus that under {} is {}{}", h.metric, cell_text(h.treatment),
                         cell_text(h.control), effects, p.where);
  if (s.main_effect().missing)
    return fmt::format("no estimate for {}: {}{}", p.subject, *s.main_effect().missing, p.where);
  if (h.kind == HypothesisKind::slope)
    return fmt::format("{} is {}{}{}", p.subject, s.effect.text,
                       s.interval.missing ? "" : fmt::format(", {} interval {}", s.level.text, s.interval.text),
                       p.where);
  return amount_words(spec, record, s) + p.where;
}

std::string answer_words(const StudySpec& spec, const HypothesisRecord& record) {
  const Hypothesis& h = record.hypothesis;
  if (!record.result || !record.withdrawn.empty()) return size_words(spec, record);
  const Verdict verdict = record.result->verdict;
  const bool decided = !record.exploratory && (verdict == Verdict::supported || verdict == Verdict::refuted);
  const bool sized = h.kind == HypothesisKind::slope || h.kind == HypothesisKind::crossover ||
                     h.direction == Direction::less || h.direction == Direction::greater;
  if (decided && sized) return size_words(spec, record);
  const ShownResult s = shown(spec, record);
  if (s.main_effect().missing)
    return fmt::format("{}; no estimate: {}", found_words(spec, record), *s.main_effect().missing);
  return fmt::format(
      "{}; measured: {}{}", found_words(spec, record), s.main_effect().text,
      s.main_interval().missing ? "" : fmt::format(", {} interval {}", s.level.text, s.main_interval().text));
}

}  // namespace kernel
