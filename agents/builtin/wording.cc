#include "agents/builtin/wording.h"

#include <fmt/format.h>

#include "kernel/reason.h"

namespace agents {

using kernel::Direction;
using kernel::Hypothesis;
using kernel::HypothesisKind;

namespace {

std::string trimmed_stop(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ' || text.back() == '\n')) text.pop_back();
  return text;
}

}  // namespace

std::string cell_words(const kernel::Cell& cell) {
  if (cell.empty()) return "all cells";
  std::string words;
  for (const auto& [factor, level] : cell) words += fmt::format("{}{} = {}", words.empty() ? "" : ", ", factor, level);
  return words;
}

std::string conditions_of(const kernel::StudySpec& spec, const Hypothesis& h) {
  std::string words = h.where.empty() ? "" : "Where " + cell_words(h.where) + ". ";
  std::string crossed;
  for (const kernel::Factor& factor : spec.factors) {
    const bool fixed = h.where.contains(factor.name) || h.treatment.contains(factor.name) ||
                       h.control.contains(factor.name) || h.along == factor.name;
    if (fixed) continue;
    std::string levels;
    for (const kernel::Level& level : factor.levels) levels += (levels.empty() ? "" : ", ") + level.name;
    crossed += fmt::format("{}{} ({})", crossed.empty() ? "" : "; ", factor.name, levels);
  }
  if (!crossed.empty())
    words += (h.over == kernel::Over::every ? "In every cell of " : "On average, with equal weights, over ") + crossed +
             ". ";
  for (const kernel::Requirement& required : h.requirements) {
    const std::string region = kernel::region_words(spec, kernel::requirement_of(h, required));
    words += fmt::format("Required too: {} is {}. ", required.metric, region);
  }
  return words + "For the workspace, data and environment recorded with this artifact.";
}

std::string falsification_of(const Hypothesis& h) {
  std::string of =
      h.kind == HypothesisKind::slope
          ? fmt::format("the slope of {} along {} for {}", h.metric, h.along, cell_words(h.treatment))
          : fmt::format("{} under {} compared with {}", h.metric, cell_words(h.treatment), cell_words(h.control));
  if (h.kind == HypothesisKind::crossover)
    return fmt::format(
        "A registered experiment in which {} has a sign shown at every level of {} that does not change so.", of,
        h.along);
  if (h.kind == HypothesisKind::interaction)
    of = fmt::format("the change from {} = {} to {} of {}", h.along, h.steps.front(), h.steps.back(), of);
  switch (h.direction) {
    case Direction::less:
      return fmt::format(
          "A registered experiment whose interval for {} lies outside the region claimed (less, by the margin).", of);
    case Direction::greater:
      return fmt::format(
          "A registered experiment whose interval for {} lies outside the region claimed (greater, by the margin).",
          of);
    case Direction::equal:
      return fmt::format("A registered experiment whose interval for {} lies wholly outside the margin of equality.",
                         of);
    case Direction::not_worse:
      return fmt::format(
          "A registered experiment whose interval for {} lies beyond the margin in the metric's bad direction.", of);
    case Direction::different:
      return fmt::format(
          "A registered experiment whose interval for {} excludes every difference of the smallest effect of interest.",
          of);
  }
  return "";
}

std::string takeaway_of(const Hypothesis& h) {
  const std::string statement = trimmed_stop(h.statement);
  if (h.mechanism.empty()) return statement + ". (Attribution, not mechanism: the study names no mechanism.)";
  return statement + ", because of " + trimmed_stop(h.mechanism) + ".";
}

}  // namespace agents
