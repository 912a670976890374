#include "agents/builtin/builtin.h"

#include <fmt/format.h>

#include "kernel/design/design.h"
#include "kernel/domain/enum_names.h"
#include "kernel/search/search.h"

namespace agents {

using kernel::Study;

namespace {

std::string hypotheses_word(std::size_t count) {
  return count == 1 ? "hypothesis" : "hypotheses";
}

/// All hypotheses that the search selected, in the family that was fixed before the search began.
std::vector<kernel::CommandBody> confirm_selected(const Study& study) {
  std::vector<kernel::CommandBody> commands;
  for (const kernel::Hypothesis& h : kernel::selected_hypotheses(study))
    commands.push_back(kernel::ProposeHypothesis{h});
  kernel::Node node;
  node.type = kernel::NodeType::decision;
  node.title = study.spec.kind == kernel::StudyKind::screen ? "Confirm the factors that the screening carries forward"
                                                            : "Confirm the best of what was searched";
  node.parents = {kernel::search_node_id(study)};
  node.fields["choice"] = "{{hypotheses.total}} " + hypotheses_word(commands.size()) +
                          " as one batch in a family of {{study.family}}, fixed before the search";
  node.fields["rationale"] =
      "The best of many looks better than it is; only fresh seeds, with a fresh control beside them, say what holds.";
  node.alternatives = {"report the selection's own values as a result"};
  commands.push_back(kernel::RecordNode{std::move(node)});
  commands.push_back(kernel::CloseProposals{study.search->plan.registered.family});
  return commands;
}

/// Takes the file's hypotheses, or derives them, and closes the family.
std::vector<kernel::CommandBody> hypothesis_turn(const Study& study) {
  const kernel::StudySpec& spec = study.spec;
  if (spec.kind != kernel::StudyKind::test) return confirm_selected(study);
  const bool listed = !spec.hypotheses.empty();
  const std::vector<kernel::Hypothesis> hypotheses = listed ? spec.hypotheses : kernel::derived_hypotheses(spec);
  const int count = static_cast<int>(hypotheses.size());
  const int family = spec.design.family.value_or(count);

  std::vector<kernel::CommandBody> commands;
  for (const kernel::Hypothesis& h : hypotheses) commands.push_back(kernel::ProposeHypothesis{h});

  kernel::Node node;
  node.type = kernel::NodeType::decision;
  node.title =
      listed ? "Test the hypotheses that the study lists" : "Derive one hypothesis per level against its baseline";
  node.parents = {study.nodes.front().id};
  node.fields["choice"] = std::string("{{hypotheses.total}} ") + (listed ? "listed " : "derived ") +
                          hypotheses_word(hypotheses.size()) + " as one batch in a family of {{study.family}}";
  node.fields["rationale"] =
      listed ? "A person fixed them before any data existed; listing switches derivation off."
             : "No hypothesis was listed; every level of a factor with a baseline is compared with it.";
  node.alternatives = listed ? std::vector<std::string>{"derive hypotheses from the factors' baselines"}
                             : std::vector<std::string>{"list hypotheses by hand"};
  commands.push_back(kernel::RecordNode{std::move(node)});
  commands.push_back(kernel::CloseProposals{family});
  return commands;
}

bool fixed_n(const kernel::StudyTerms& study) {
  return study.spec.design.sized_beforehand();
}

std::string last_decision(const kernel::Exploration& study) {
  for (auto it = study.nodes.rbegin(); it != study.nodes.rend(); ++it)
    if (it->type == kernel::NodeType::decision) return it->id;
  return study.nodes.front().id;
}

kernel::RecordNode trial_node(const kernel::Exploration& study, kernel::Purpose purpose, std::string title,
                              std::string result) {
  kernel::Node node;
  node.type = kernel::NodeType::experiment;
  node.title = std::move(title);
  node.parents = {last_decision(study)};
  node.fields["result"] = std::move(result);
  node.fields["status"] = "scratch";
  node.fields["exploration"] = fmt::format("{{{{runs.{}}}}} runs, never evidence for a claim", name(purpose));
  return {std::move(node)};
}

kernel::RecordNode sizing_node(const Study& study) {
  const kernel::Design& design = study.spec.design;
  kernel::Node node;
  node.type = kernel::NodeType::decision;
  node.parents = {last_decision(study)};
  if (fixed_n(study)) {
    const bool settled = !design.settled.empty();
    if (design.confirm && !settled) {
      const kernel::Confirm& confirm = *design.confirm;
      node.title = fmt::format("Confirm with {} fresh replicates in every cell", confirm.replicates);
      node.fields["choice"] = fmt::format("{} replicates, fixed by `design.confirm`", confirm.replicates);
      if (confirm.most > 0) {
        node.title =
            fmt::format("Confirm with {} to {} fresh replicates in every cell", confirm.replicates, confirm.most);
        node.fields["choice"] = "the fewest of them that the gain expected by the search needs";
      }
      node.fields["rationale"] =
          "What was selected looks better than it is: only runs on seeds that selection never saw say what holds.";
      node.alternatives = {"count the runs of the selection as evidence (inflates false positives)"};
      return {std::move(node)};
    }
    node.title = settled ? "Keep the replicates of the study that is reproduced"
                         : fmt::format("Run {} replicates in every cell", design.replicates_min);
    node.fields["choice"] = settled
                                ? "the registered replicates of each hypothesis"
                                : fmt::format("{} replicates, fixed by the study (min = max)", design.replicates_min);
    node.fields["rationale"] = "The number is fixed beforehand, so there is no pilot.";
    node.alternatives = {"size the sample from a pilot"};
  } else {
    node.title = "Size the sample from the pilot";
    node.fields["choice"] = fmt::format("replicates between {} and {} by Stein's two-stage rule, per hypothesis",
                                        design.replicates_min, design.replicates_max);
    node.fields["rationale"] =
        "The pilot's variance gives the number of replicates for the registered power at the smallest effect of "
        "interest; the pilot itself is discarded as evidence.";
    node.alternatives = {"a fixed number of replicates", "reuse the pilot as evidence (inflates false positives)"};
  }
  return {std::move(node)};
}

/// Returns the commands that are due: manipulation check, pilot, sizing, registration.
std::vector<kernel::CommandBody> experiment_turn(const Study& study) {
  switch (study.phase()) {
    case kernel::Phase::checking:
      if (!study.asked_smoke && !study.check) return {kernel::RequestSmoke{}};
      if (study.check && study.comparison_parts == 0) return {kernel::RequestComparison{}};
      if (study.check) return {kernel::JudgeComparison{}};
      return {trial_node(study, kernel::Purpose::smoke, "Manipulation check",
                         "{{runs.smoke}} smoke runs ended; each factor and the seed were flipped once"),
              kernel::JudgeManipulation{}};
    case kernel::Phase::searching:
      if (!study.search) return {kernel::RegisterSearch{}};
      if (study.search->ranked.size() < static_cast<std::size_t>(study.search->queued)) return {kernel::RankRung{}};
      return {kernel::QueueRung{}};
    case kernel::Phase::sizing:
      if (fixed_n(study)) return {sizing_node(study), kernel::SizeSample{}};
      if (!study.asked_pilot) return {kernel::RequestPilot{}};
      return {trial_node(study, kernel::Purpose::pilot, "Pilot", "measured the variance that sizes the experiment"),
              sizing_node(study), kernel::SizeSample{}};
    case kernel::Phase::registering: {
      kernel::RegisterExperiment registration;
      for (const kernel::HypothesisRecord* record : study.open_batch())
        registration.hypotheses.push_back(record->hypothesis.id);
      return {std::move(registration)};
    }
    default:
      return {};
  }
}

/// Asks for the verdicts of experiments that have ended.
std::vector<kernel::CommandBody> analysis_turn(const kernel::Experiments& study) {
  std::vector<kernel::CommandBody> commands;
  for (const kernel::Experiment& e : study.experiments)
    if (e.pending == 0 && !e.analysed && !e.amended)
      commands.push_back(kernel::AnalyseExperiment{e.registration.experiment});
  return commands;
}

}  // namespace

std::vector<kernel::Command> builtin_turn(kernel::Role role, const kernel::Study& study) {
  std::vector<kernel::CommandBody> bodies;
  switch (role) {
    case kernel::Role::hypothesis:
      bodies = hypothesis_turn(study);
      break;
    case kernel::Role::experiment:
      bodies = experiment_turn(study);
      break;
    case kernel::Role::analysis:
      bodies = analysis_turn(study);
      break;
    case kernel::Role::writeup:
      bodies = writeup_turn(study);
      break;
  }
  std::vector<kernel::Command> commands;
  commands.reserve(bodies.size());
  for (kernel::CommandBody& body : bodies)
    commands.push_back({study.id, std::string(name(role)), std::move(body), true});
  return commands;
}

}  // namespace agents
