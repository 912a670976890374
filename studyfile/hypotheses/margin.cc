#include "studyfile/hypotheses/margin.h"

namespace studyfile {
namespace {

using kernel::Direction;

std::string_view word(Direction direction) {
  switch (direction) {
    case Direction::less:
      return "less";
    case Direction::greater:
      return "greater";
    case Direction::equal:
      return "equal";
    case Direction::different:
      return "different";
    case Direction::not_worse:
      return "not_worse";
  }
  return "";
}

}  // namespace

std::optional<kernel::Margin> read_margin(const Value& value) {
  if (!value.is_mapping())
    return value.refuse_kind(
               "a margin",
               "write `{relative: 0.1}` (a tenth of the control) or `{absolute: 3}` (in the metric's unit)"),
           std::nullopt;
  const auto fields = value.fields({{"relative"}, {"absolute"}});
  if (!fields || !fields->complete()) return std::nullopt;
  const auto relative = fields->find("relative"), absolute = fields->find("absolute");
  if (!relative == !absolute)
    return value.refuse(relative ? "both `relative` and `absolute` are given" : "it is empty", "give one of the two"),
           std::nullopt;
  const std::optional<double> size = (relative ? relative : absolute)->number(0, largest);
  if (!size) return std::nullopt;
  return kernel::Margin{relative ? kernel::Margin::Kind::relative : kernel::Margin::Kind::absolute, *size};
}

std::optional<kernel::SmallestEffect> read_smallest_effect(const Value& value) {
  if (!value.is_mapping())
    return value.refuse_kind("a smallest effect", "write `{relative: 0.1}`, `{absolute: 3}` or `{sd: 1}`"),
           std::nullopt;
  const auto fields = value.fields({{"relative"}, {"absolute"}, {"sd"}});
  if (!fields || !fields->complete()) return std::nullopt;
  if (value.node().entries.size() != 1)
    return value.refuse(value.node().entries.empty() ? "it is empty" : "more than one size is given",
                        "give one of `relative`, `absolute` and `sd`"),
           std::nullopt;
  using Kind = kernel::SmallestEffect::Kind;
  for (const auto& [key, kind] :
       {std::pair("relative", Kind::relative), std::pair("absolute", Kind::absolute), std::pair("sd", Kind::sd)}) {
    const auto given = fields->find(key);
    if (!given) continue;
    const std::optional<double> size = given->number(0, largest);
    if (!size) return std::nullopt;
    if (*size == 0)
      return given->refuse("no study can find an effect of 0", "give the smallest one that would matter"), std::nullopt;
    return kernel::SmallestEffect{kind, *size};
  }
  return std::nullopt;
}

void check_margin(const std::optional<kernel::Margin>& margin, const MarginUse& use, const Fields& test) {
  const std::string direction = "`direction: " + std::string(word(use.direction)) + "`";
  const auto given = test.find("margin");
  if (!given) {
    if (use.direction == Direction::equal)
      test.find("direction")
          ->refuse("no margin says how near is near enough", "add `margin: {absolute: …}` or `margin: {relative: …}`");
    return;
  }
  if (use.direction == Direction::different)
    return given->refuse_key("a margin contradicts " + direction,
                             "leave it out, or choose `less`, `greater` or `equal`");
  if (!margin) return;
  const bool relative = margin->kind == kernel::Margin::Kind::relative;
  if (margin->value == 0 && use.direction == Direction::equal)
    return given->refuse("no two means are equal to within 0", "give a margin above 0");
  if (relative && use.slope == 0.0)
    return given->refuse("a margin relative to a slope of 0 is no margin", "write `margin: {absolute: …}`");
  if (!relative && use.log && margin->value > 0)
    return given->refuse("a logarithmic scale knows ratios only", "write `margin: {relative: …}`");
  const bool shrinks =
      use.direction == Direction::less || (use.direction == Direction::not_worse && use.goal == kernel::Goal::maximize);
  if (relative && shrinks && !use.slope && margin->value >= 1)
    given->refuse("less by 100 % or more asks for a mean of 0 or below",
                  "give a relative margin below 1: 0.5 means less than half");
}

}  // namespace studyfile
