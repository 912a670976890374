#include "agents/builtin/roles.h"
#include "kernel/design/design.h"
#include "kernel/search/search.h"
#include "kernel/search/search_nodes.h"

namespace agents {

namespace {

/// All hypotheses that the search selected, in the family that was fixed before the search began.
std::vector<kernel::CommandBody> confirm_selected(const kernel::Study& study) {
  std::vector<kernel::CommandBody> commands;
  for (const kernel::Hypothesis& h : kernel::selected_hypotheses(study))
    commands.push_back(kernel::ProposeHypothesis{h});
  kernel::Node node;
  node.type = kernel::NodeType::decision;
  node.title = study.spec.kind == kernel::StudyKind::screen ? "Confirm the factors that the screening carries forward"
                                                            : "Confirm the best of what was searched";
  node.parents = {kernel::search_node_id(study)};
  node.fields["choice"] =
      "{{hypotheses.total}} hypotheses as one batch in a family of {{study.family}}, fixed before the search";
  node.fields["rationale"] =
      "The best of many looks better than it is; only fresh seeds, with a fresh control beside them, say what holds.";
  node.alternatives = {"report the selection's own values as a result"};
  commands.push_back(kernel::RecordNode{std::move(node)});
  commands.push_back(kernel::CloseProposals{study.search->plan.top});
  return commands;
}

}  // namespace

std::vector<kernel::CommandBody> hypothesis_turn(const kernel::Study& study) {
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
  node.fields["choice"] = std::string("{{hypotheses.total}} ") + (listed ? "listed" : "derived") +
                          " hypotheses as one batch in a family of {{study.family}}";
  node.fields["rationale"] =
      listed ? "A person fixed them before any data existed; listing switches derivation off."
             : "No hypothesis was listed; every level of a factor with a baseline is compared with it.";
  node.alternatives = listed ? std::vector<std::string>{"derive hypotheses from the factors' baselines"}
                             : std::vector<std::string>{"list hypotheses by hand"};
  commands.push_back(kernel::RecordNode{std::move(node)});
  commands.push_back(kernel::CloseProposals{family});
  return commands;
}

}  // namespace agents
