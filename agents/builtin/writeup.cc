// Claims and dead ends in fixed sentences around addresses, which the kernel replaces by recorded values. They contain
// no number of a run.
#include <algorithm>

#include <fmt/format.h>

#include "agents/builtin/builtin.h"
#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"

namespace agents {

using kernel::Direction;
using kernel::Hypothesis;
using kernel::HypothesisKind;
using kernel::Study;

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

/// Where the claim holds, from `where` and the factors it averages over.
std::string conditions_of(const kernel::StudySpec& spec, const Hypothesis& h) {
  std::string words = h.where.empty() ? "" : "Where " + at(h, "where") + ". ";
  if (crosses(spec, h))
    words += (h.over == kernel::Over::every ? "In every cell of " : "On average, with equal weights, over ") +
             at(h, "crossed") + ". ";
  if (!h.requirements.empty()) words += "Required too: " + at(h, "requirements") + ". ";
  return words + "For the workspace, data and environment recorded with this artifact.";
}

/// What would refute the hypothesis.
std::string falsification_of(kernel::VerdictRule rule, const Hypothesis& h) {
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
      return rule == kernel::VerdictRule::smallest_effect || h.judges_relevance()
                 ? experiment + " excludes every effect of the smallest size of interest."
                 : "None as stated: any interval around no difference leaves a smaller one open, and no smallest "
                   "effect of interest was declared.";
  }
  return "";
}

/// What the test found, and the author's statement and mechanism as quotations.
std::string takeaway_of(kernel::VerdictRule rule, const kernel::HypothesisRecord& record) {
  const Hypothesis& h = record.hypothesis;
  if (rule == kernel::VerdictRule::smallest_effect) {
    const std::string why = h.mechanism.empty() ? " (Attribution, not mechanism: the study names no mechanism.)"
                                                : " The mechanism stated beforehand: " + at(h, "mechanism") + ".";
    return fmt::format("{}, which is {}.{}", at(h, "statement"), at(h, "verdict"), why);
  }
  std::string text = at(h, "found") + ". ";
  text += record.result->verdict == kernel::Verdict::refuted ? "This refutes the author's statement: "
                                                             : "The author's statement: ";
  text += at(h, "statement") + ".";
  if (!h.mechanism.empty())
    text += " The mechanism that the author expected, not tested itself: " + at(h, "mechanism") + ".";
  return text;
}

/// What a reader can use of a dead end.
std::string lesson_of(const kernel::HypothesisRecord& record) {
  const Hypothesis& h = record.hypothesis;
  std::string text = fmt::format("Under the recorded conditions {}.", at(h, "size"));
  if (record.result->verdict != kernel::Verdict::refuted) return text + " A smaller effect is still possible.";
  if (!h.mechanism.empty())
    text += fmt::format(" The expected mechanism does not act here, or something else outweighs it: {}.",
                        at(h, "mechanism"));
  return text;
}

kernel::Claim claim_of(const kernel::StudyTerms& study, const kernel::HypothesisRecord& record) {
  const kernel::Hypothesis& h = record.hypothesis;
  kernel::Claim claim;
  claim.hypothesis = h.id;
  const kernel::VerdictRule rule = study.spec.design.rule;
  claim.title = at(h, rule == kernel::VerdictRule::smallest_effect ? "statement" : "found");
  claim.statement = takeaway_of(rule, record);
  claim.conditions = conditions_of(study.spec, h);
  claim.falsification = falsification_of(rule, h);
  claim.status = kernel::claim_status(record.result->verdict);
  claim.tags = {h.metric};
  for (const auto& [factor, level] : h.treatment) claim.tags.push_back(factor);
  if (!h.along.empty()) claim.tags.push_back(h.along);
  return claim;
}

std::string experiment_node(const kernel::Exploration& study, const kernel::ExperimentId& experiment) {
  for (const kernel::Node& node : study.nodes)
    if (node.experiment == experiment) return node.id;
  return study.nodes.front().id;
}

/// Whether the arm is a dead end because none of its registered runs succeeded.
bool broke(const kernel::RunBoard& study, const kernel::ExperimentId& experiment, const kernel::Cell& pattern) {
  bool any = false;
  for (const kernel::Run& run : study.runs) {
    if (run.experiment != experiment || !run.evidence()) continue;
    if (!kernel::matches(study.cells[static_cast<std::size_t>(run.cell)], pattern)) continue;
    if (run.state == kernel::RunState::succeeded) return false;
    any = true;
  }
  return any;
}

/// The address of the reason why the arm's first run failed.
std::string first_failure(const kernel::RunBoard& study, const kernel::ExperimentId& experiment,
                          const kernel::Cell& pattern) {
  for (const kernel::Run& run : study.runs)
    if (run.experiment == experiment && run.evidence() && run.state != kernel::RunState::succeeded &&
        kernel::matches(study.cells[static_cast<std::size_t>(run.cell)], pattern))
      return fmt::format("{{{{r{}.{}}}}}", run.number, run.reason.empty() ? "state" : "reason");
  return "";
}

std::string address(const kernel::HypothesisRecord& record, const char* value) {
  return fmt::format("{{{{{}.{}}}}}", record.hypothesis.id, value);
}

kernel::Node dead_end(const kernel::Exploration& study, const kernel::HypothesisRecord& record) {
  kernel::Node node;
  node.type = kernel::NodeType::dead_end;
  node.parents = {experiment_node(study, record.experiment)};
  node.hypothesis = record.hypothesis.id;
  node.fields["hypothesis"] = address(record, "statement");
  return node;
}

void broken_arms(const Study& study, const kernel::HypothesisRecord& record, std::vector<kernel::Cell>& seen,
                 std::vector<kernel::CommandBody>& commands) {
  for (const bool treatment : {true, false}) {
    const kernel::Cell* const arm = treatment ? &record.hypothesis.treatment : &record.hypothesis.control;
    kernel::Cell pattern = *arm;
    pattern.insert(record.hypothesis.where.begin(), record.hypothesis.where.end());
    if (arm->empty() || std::ranges::find(seen, pattern) != seen.end()) continue;
    if (!broke(study, record.experiment, pattern)) continue;
    seen.push_back(pattern);
    kernel::Node node = dead_end(study, record);
    const std::string where = record.hypothesis.where.empty() ? "" : " where " + address(record, "where");
    node.title = fmt::format("No run of {}{} succeeded", address(record, treatment ? "treatment" : "control"), where);
    node.fields["failure_mode"] = "every registered run of this arm failed";
    node.fields["why_failed"] = first_failure(study, record.experiment, pattern);
    node.fields["lesson"] = "This arm cannot be judged until its runs succeed; failures count against it.";
    commands.push_back(kernel::RecordNode{std::move(node)});
  }
}

}  // namespace

std::vector<kernel::CommandBody> writeup_turn(const Study& study) {
  std::vector<kernel::CommandBody> commands;
  std::vector<kernel::Cell> seen;
  for (const kernel::HypothesisRecord& record : study.hypotheses) {
    if (!record.withdrawn.empty()) continue;
    commands.push_back(kernel::RecordClaim{claim_of(study, record)});
    broken_arms(study, record, seen, commands);
    const bool refuted = record.result->verdict == kernel::Verdict::refuted;
    if (!refuted && record.result->verdict != kernel::Verdict::no_relevant_effect) continue;
    kernel::Node node = dead_end(study, record);
    node.title = (refuted ? "Refuted: " : "No relevant effect: ") + address(record, "statement");
    node.fields["failure_mode"] =
        (refuted ? "refuted by " : "effects of the smallest size that matters were excluded by ") + record.experiment;
    node.fields["why_failed"] = address(record, "reason");
    node.fields["lesson"] = lesson_of(record);
    node.evidence = {record.experiment.text()};
    commands.push_back(kernel::RecordNode{std::move(node)});
  }
  commands.push_back(kernel::Conclude{});
  return commands;
}

}  // namespace agents
