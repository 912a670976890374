// Versions of the code in the exploration graph: each is a decision, and versions that lead no further get dead ends.
#include <algorithm>

#include <fmt/format.h>

#include "kernel/search/code_search.h"
#include "kernel/search/search_nodes.h"
#include "kernel/study/requirements.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace kernel {

namespace {

const char* const not_tested = "Selection, not evidence: it was not tested whether it differs from what was kept.";

const char* does(CodeOperator op) {
  switch (op) {
    case CodeOperator::draft:
      return "a draft of its own";
    case CodeOperator::debug:
      return "mends";
    case CodeOperator::improve:
      return "improves";
    case CodeOperator::ablate:
      return "takes a part out of";
    case CodeOperator::merge:
      return "merges";
  }
  return "";
}

}  // namespace

std::string code_node_id(const Exploration& study, const std::string& version) {
  for (const Node& node : study.nodes)
    if (const auto named = node.fields.find("version"); named != node.fields.end() && named->second == version)
      return node.id;
  return "";
}

Node code_node(const Study& study, const CodeVersion& version) {
  Node node;
  node.type = NodeType::decision;
  std::string from;
  for (const std::string& parent : version.parents) {
    if (parent == original_code) continue;
    from += (from.empty() ? " " : " and ") + parent;
    if (std::string id = code_node_id(study, parent); !id.empty()) node.parents.push_back(std::move(id));
  }
  if (node.parents.empty()) node.parents = {search_node_id(study)};
  node.title = fmt::format("{}: {}{}", version.id, does(version.op), from);
  node.fields["version"] = version.id;
  node.fields["choice"] = version.why;
  node.fields["rationale"] = fmt::format("evidence/code/{}.diff is what it changes of the person's own; workspace {}",
                                         version.id, version.workspace.hash.text());
  node.alternatives = {"the code as it was"};
  return node;
}

std::vector<Node> code_dead_ends(const Study& study, const RungRanked& ranked) {
  std::vector<Node> nodes;
  const Metric& metric = study.spec.primary();
  for (const Candidate& c : ranked.candidates) {
    if (c.baseline || c.kept) continue;
    const std::string& id = c.cell.at(code_factor);
    const CodeVersion* version = study.code.version(id);
    Node node;
    node.type = NodeType::dead_end;
    node.parents = {code_node_id(study, id)};
    node.fields["hypothesis"] = version ? version->why : study.spec.question;
    if (const Run* failed = c.mean ? nullptr : failed_run(study, id)) {
      node.title = fmt::format("{} does not run", id);
      node.fields["failure_mode"] = "no run of it succeeded";
      node.fields["why_failed"] = failed->reason.empty() ? "its run failed" : sentence(failed->reason);
      node.fields["lesson"] =
          fmt::format("Run r{} shows it; nobody mended it within the depth that was allowed.", failed->number);
      const bool mended = std::any_of(study.code.versions.begin(), study.code.versions.end(), [&](const auto& other) {
        return other.op == CodeOperator::debug && other.parents.front() == id;
      });
      if (mended) node.fields["lesson"] = fmt::format("Run r{} shows it; a later version mends it.", failed->number);
    } else if (const auto lacking = unmet(study, id); !lacking.empty()) {
      node.title = fmt::format("{} does not do what is required", id);
      node.fields["failure_mode"] = fmt::format("requirement {} is not met by its code", lacking.front()->id);
      node.fields["why_failed"] = "a reviewer who read its source said so, or whoever looked for it found it nowhere";
      node.fields["lesson"] =
          fmt::format("The report says with {} what is required and what was found.", lacking.front()->id);
    } else {
      node.title = fmt::format("{} was not carried forward", id);
      node.fields["failure_mode"] = "others had a better mean over as many runs";
      node.fields["why_failed"] =
          c.mean ? fmt::format("its mean {} was {}{}{} over {} runs", metric.name, prose::rounded(*c.mean),
                               metric.unit.empty() ? "" : " ", metric.unit, c.n + c.failed)
                 : "it was never run";
      node.fields["lesson"] = not_tested;
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace kernel
