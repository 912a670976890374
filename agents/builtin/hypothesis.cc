#include "agents/builtin/roles.h"
#include "kernel/design.h"

namespace agents {

std::vector<kernel::CommandBody> hypothesis_turn(const kernel::Study& study) {
  const kernel::StudySpec& spec = study.spec;
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
