#include "agents/builtin/hypothesis_words.h"

#include <fmt/format.h>

namespace agents {

using kernel::Direction;
using kernel::Hypothesis;
using kernel::HypothesisKind;

namespace {

std::string at(const Hypothesis& h, const char* value) {
  return fmt::format("{{{{{}.{}}}}}", h.id, value);
}

/// Whether the hypothesis averages over the factor because it names it nowhere.
bool crosses(const kernel::StudySpec& spec, const Hypothesis& h) {
  for (const kernel::Factor& factor : spec.factors)
    if (!h.where.contains(factor.name) && !h.treatment.contains(factor.name) && !h.control.contains(factor.name) &&
        h.along != factor.name)
      return true;
  return false;
}

}  // namespace

std::string conditions_of(const kernel::StudySpec& spec, const Hypothesis& h) {
  std::string words = h.where.empty() ? "" : "Where " + at(h, "where") + ". ";
  if (crosses(spec, h))
    words += (h.over == kernel::Over::every ? "In every cell of " : "On average, with equal weights, over ") +
             at(h, "crossed") + ". ";
  if (!h.requirements.empty()) words += "Required too: " + at(h, "requirements") + ". ";
  return words + "For the workspace, data and environment recorded with this artifact.";
}

std::string falsification_of(const Hypothesis& h) {
  std::string of =
      h.kind == HypothesisKind::slope
          ? fmt::format("the slope of {} along {} for {}", at(h, "metric"), at(h, "along"),
                        at(h, h.treatment.empty() && !h.where.empty() ? "where" : "treatment"))
          : fmt::format("{} under {} compared with {}", at(h, "metric"), at(h, "treatment"), at(h, "control"));
  if (h.kind == HypothesisKind::crossover)
    return fmt::format(
        "A registered experiment in which {} has a sign shown at every level of {} that does not change so.", of,
        at(h, "along"));
  if (h.kind == HypothesisKind::interaction) of = "the change " + at(h, "steps") + " of " + of;
  const std::string experiment = "A registered experiment whose interval for " + of;
  switch (h.direction) {
    case Direction::less:
    case Direction::greater:
    case Direction::not_worse:
      return experiment + " lies outside the region claimed, which is " + at(h, "region") + ".";
    case Direction::equal:
      return experiment + " lies wholly outside the margin of equality.";
    case Direction::different:
      return experiment + " excludes every effect of the smallest size of interest.";
  }
  return "";
}

std::string takeaway_of(const Hypothesis& h) {
  const std::string why = h.mechanism.empty() ? " (Attribution, not mechanism: the study names no mechanism.)"
                                              : " The mechanism stated beforehand: " + at(h, "mechanism") + ".";
  return fmt::format("{}, which is {}.{}", at(h, "statement"), at(h, "verdict"), why);
}

}  // namespace agents
