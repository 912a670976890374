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

}  // namespace kernel
