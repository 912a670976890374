#include "kernel/views/finding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/domain/cells.h"
#include "kernel/evidence/blocks.h"
#include "kernel/inference/test_method.h"
#include "kernel/views/result_text.h"
#include "kernel/wording/wording.h"
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

/// Since wording 6: interactions and crossovers in words of their own, and percentage points.
bool newer(int wording) {
  return wording >= 6 || wording == codes_only;
}

/// Whether "12 %" could be of the control or in the metric's own unit.
bool in_percent(const StudySpec& spec, const Hypothesis& h, int wording) {
  return newer(wording) && effect_unit(spec, h) == "%";
}

/// An amount in the unit of the effect. Since wording 7: 1 percentage point.
std::string absolute_text(const StudySpec& spec, const Hypothesis& h, int wording, const std::string& number) {
  if (!in_percent(spec, h, wording)) return prose::with_unit(number, effect_unit(spec, h));
  const bool one = (number == "1" || number == "-1") && (wording >= 7 || wording == codes_only);
  return number + (one ? " percentage point" : " percentage points");
}

/// A percentage of the control.
std::string relative_text(const StudySpec& spec, const Hypothesis& h, int wording, const std::string& percentage) {
  return percentage + (in_percent(spec, h, wording) ? " (relative)" : "");
}

std::string sized(const StudySpec& spec, const Hypothesis& h, int wording, bool relative, double value) {
  return relative ? relative_text(spec, h, wording, prose::percent(value))
                  : absolute_text(spec, h, wording, prose::rounded(value));
}

/// What is compared with what, and where.
struct Parts {
  std::string subject, object, where, margin;
};

Parts parts_of(const StudySpec& spec, const Hypothesis& h, int wording) {
  const std::string over = crossed_over(spec, h);
  Parts parts;
  parts.where = (h.where.empty() ? "" : "; where " + cell_text(h.where)) +
                (over.empty() ? "" : (h.where.empty() ? "; " : ", ") + over);
  if (h.margin) parts.margin = sized(spec, h, wording, h.margin->kind == Margin::Kind::relative, h.margin->value);
  if (h.kind == HypothesisKind::slope) {
    static constexpr const char* scales[] = {"linear", "log-log", "semi-log", "lin-log"};
    parts.subject = fmt::format("{} slope of {} along {}{}", scales[static_cast<std::size_t>(h.slope_scale)], h.metric,
                                h.along, h.treatment.empty() ? "" : " for " + cell_text(h.treatment));
    parts.object = prose::rounded(h.slope_value);
  } else if (h.kind == HypothesisKind::interaction && newer(wording)) {
    const bool ratio = method_of(spec, h).units().logarithms;
    parts.subject =
        fmt::format("the {} {} ({} {} {}) at {} = {}", ratio ? "ratio of" : "difference in", h.metric,
                    cell_text(h.treatment), ratio ? "to" : "minus", cell_text(h.control), h.along, h.steps.back());
    parts.object = fmt::format("that at {} = {}", h.along, h.steps.front());
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

std::string crossover_words(const StudySpec& spec, const Hypothesis& h, int wording) {
  if (newer(wording)) {
    static constexpr const char* turns[] = {"turns from negative to positive", "turns from positive to negative", "",
                                            "changes its sign"};
    return fmt::format("the difference in {} ({} minus {}) {} along {} ({}){}", h.metric, cell_text(h.treatment),
                       cell_text(h.control), turns[static_cast<std::size_t>(h.direction)], h.along,
                       fmt::join(h.steps, ", "), parts_of(spec, h, wording).where);
  }
  static constexpr const char* changes[] = {"from lower to higher", "from higher to lower", "", "its side"};
  return fmt::format("{} under treatment changes {}, against control, along {} ({}): {} against {}{}", h.metric,
                     changes[static_cast<std::size_t>(h.direction)], h.along, fmt::join(h.steps, ", "),
                     cell_text(h.treatment), cell_text(h.control), parts_of(spec, h, wording).where);
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

std::string without_size(const StudySpec& spec, const Hypothesis& h, int wording) {
  const Parts p = parts_of(spec, h, wording);
  const SmallestEffect& smallest = h.smallest_effect;
  const std::string size = sized(spec, h, wording, smallest.kind == SmallestEffect::Kind::relative, smallest.value);
  if (h.direction == Direction::different) return with_verb(p, "differs from", " by less than " + size);
  return with_verb(p, h.direction == Direction::less ? "is not less than" : "is not greater than",
                   " by " + size + " or more");
}

}  // namespace

std::string tested_words(const StudySpec& spec, const Hypothesis& h, int wording) {
  if (h.kind == HypothesisKind::crossover) return crossover_words(spec, h, wording);
  const Parts p = parts_of(spec, h, wording);
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

std::string finding_words(const StudySpec& spec, const HypothesisRecord& record, int wording) {
  const Hypothesis& h = record.hypothesis;
  const Verdict verdict =
      record.result && !record.exploratory && record.withdrawn.empty() ? record.result->verdict : Verdict::inconclusive;
  switch (verdict) {
    case Verdict::supported:
      return tested_words(spec, h, wording);
    case Verdict::refuted:
      return h.kind == HypothesisKind::crossover ? "it is not so that " + tested_words(spec, h, wording)
                                                 : contrary(h, parts_of(spec, h, wording));
    case Verdict::no_relevant_effect:
      return without_size(spec, h, wording);
    case Verdict::inconclusive:
      break;
  }
  return "it is not decided whether " + tested_words(spec, h, wording);
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

/// The main effect and its interval; where the unit is "%", they say whether that is of the control.
MeasuredText measured_text(const StudySpec& spec, const HypothesisRecord& record, const ShownResult& s, int wording) {
  const Hypothesis& h = record.hypothesis;
  MeasuredText text{s.main_effect(), s.main_interval()};
  if (!in_percent(spec, h, wording)) return text;
  const HypothesisResult& r = *record.result;
  const auto half = prose::half_width(r.low, r.effect, r.high);
  if (!text.effect.missing)
    text.effect = s.relative ? relative_text(spec, h, wording, text.effect.text)
                             : absolute_text(spec, h, wording, prose::rounded(*r.effect, half));
  if (!text.interval.missing)
    text.interval = s.relative ? relative_text(spec, h, wording, text.interval.text)
                               : absolute_text(spec, h, wording, prose::interval_text(r.low, r.high, half));
  return text;
}

/// "time_ms under a is 97.90 % less than that under b, 99 % interval [97.68 %, 98.10 %]".
std::string amount_words(const StudySpec& spec, const HypothesisRecord& record, const ShownResult& s, int wording) {
  const Hypothesis& h = record.hypothesis;
  const Parts p = parts_of(spec, h, wording);
  const Difference d = difference_of(record, s.relative);
  const auto interval = [&](const std::string& bounds) {
    return s.main_interval().missing ? "" : fmt::format(", {} interval {}", s.level.text, bounds);
  };
  if (d.side() == 0 && (d.low || d.high))
    return fmt::format("{} differs from {} by {}{}", p.subject, p.object,
                       measured_text(spec, record, s, wording).effect.text,
                       interval(measured_text(spec, record, s, wording).interval.text));
  const bool less = *d.effect < 0;
  const auto size = [&](std::optional<double> value) { return value && less ? std::optional(-*value) : value; };
  const std::optional<double> low = size(less ? d.high : d.low), high = size(less ? d.low : d.high);
  const auto half = prose::half_width(d.low, d.effect, d.high);
  const auto in_words = [&](const std::string& number, const std::string& percentage) {
    return s.relative ? relative_text(spec, h, wording, percentage) : absolute_text(spec, h, wording, number);
  };
  const std::string amount = in_words(prose::rounded(*size(d.effect), half), prose::percent(*size(d.effect), half));
  return fmt::format(
      "{} is {} {} than {}{}", p.subject, amount, less ? "less" : "greater", p.object,
      interval(in_words(prose::interval_text(low, high, half), prose::percent_interval_text(low, high, half))));
}

/// Of a crossover's reason, what it says of the two levels; empty if it says nothing of them.
std::string at_both_levels(const Reason& reason, int wording) {
  std::string text;
  for (const char* const end : {"first", "later"})
    if (const auto found = reason.values.find(end); found != reason.values.end())
      if (const auto* parts = std::get_if<std::vector<Reason>>(&found->second))
        for (const Reason& part : *parts) text += (text.empty() ? "" : ", and ") + sentence(part, wording);
  if (!text.empty()) return text;
  // The reason stands within that of a hypothesis with requirements.
  if (const auto own = reason.values.find("own"); own != reason.values.end())
    if (const auto* parts = std::get_if<std::vector<Reason>>(&own->second); parts && !parts->empty())
      return at_both_levels(parts->front(), wording);
  return "";
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

std::string found_words(const StudySpec& spec, const HypothesisRecord& record, int wording) {
  const Hypothesis& h = record.hypothesis;
  const bool refuted =
      record.result && !record.exploratory && record.withdrawn.empty() && record.result->verdict == Verdict::refuted;
  const bool one_sided =
      h.direction == Direction::less || h.direction == Direction::greater || h.direction == Direction::equal;
  if (!refuted || !one_sided || h.kind == HypothesisKind::crossover) return finding_words(spec, record, wording);
  const int side = difference_of(record, shown(spec, record).relative).side();
  const Parts p = parts_of(spec, h, wording);
  const bool as_claimed = h.direction == (side < 0 ? Direction::less : Direction::greater);
  if (side == 0 || (as_claimed && p.margin.empty())) return finding_words(spec, record, wording);
  const char* const verb = side < 0 ? "is less than" : "is greater than";
  if (h.direction == Direction::equal && !p.margin.empty()) return with_verb(p, verb, " by more than " + p.margin);
  return with_verb(p, verb, as_claimed ? ", but not by more than " + p.margin : "");
}

std::string size_words(const StudySpec& spec, const HypothesisRecord& record, int wording) {
  const Hypothesis& h = record.hypothesis;
  const Parts p = parts_of(spec, h, wording);
  if (!record.result || !record.withdrawn.empty())
    return fmt::format("{} was not measured: {}", p.subject,
                       record.withdrawn.empty() ? "its experiment is not analysed" : "the hypothesis was withdrawn");
  const ShownResult s = shown(spec, record);
  if (h.kind == HypothesisKind::crossover && newer(wording))
    if (const std::string ends = at_both_levels(record.result->reason, wording); !ends.empty())
      return fmt::format("the difference in {} ({} minus {}): {}{}", h.metric, cell_text(h.treatment),
                         cell_text(h.control), ends, p.where);
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
  return amount_words(spec, record, s, wording) + p.where;
}

std::string answer_words(const StudySpec& spec, const HypothesisRecord& record, int wording) {
  const Hypothesis& h = record.hypothesis;
  if (!record.result || !record.withdrawn.empty()) return size_words(spec, record, wording);
  const Verdict verdict = record.result->verdict;
  const bool decided = !record.exploratory && (verdict == Verdict::supported || verdict == Verdict::refuted);
  const bool sized = h.kind == HypothesisKind::slope || h.kind == HypothesisKind::crossover ||
                     h.direction == Direction::less || h.direction == Direction::greater;
  if (decided && sized) return size_words(spec, record, wording);
  if (h.kind == HypothesisKind::crossover && newer(wording))
    if (const std::string ends = at_both_levels(record.result->reason, wording); !ends.empty())
      return fmt::format("{}; measured: {}", found_words(spec, record, wording), ends);
  const ShownResult s = shown(spec, record);
  if (s.main_effect().missing)
    return fmt::format("{}; no estimate: {}", found_words(spec, record, wording), *s.main_effect().missing);
  const MeasuredText measured = measured_text(spec, record, s, wording);
  return fmt::format(
      "{}; measured: {}{}", found_words(spec, record, wording), measured.effect.text,
      measured.interval.missing ? "" : fmt::format(", {} interval {}", s.level.text, measured.interval.text));
}

MeasuredText measured(const StudySpec& spec, const HypothesisRecord& record, int wording) {
  const ShownResult s = shown(spec, record);
  if (record.hypothesis.kind == HypothesisKind::crossover && newer(wording))
    if (const std::string ends = at_both_levels(record.result->reason, wording); !ends.empty())
      return {ShownNumber("one at each level"), ShownNumber(ends)};
  return measured_text(spec, record, s, wording);
}

}  // namespace kernel
