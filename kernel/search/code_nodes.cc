// Versions of the code in the exploration graph: each is a decision, and versions that lead no further get dead ends.
#include <algorithm>

#include "kernel/search/code_search.h"
#include "kernel/search/search_nodes.h"
#include "kernel/study/requirements.h"
#include "kernel/wording/wording.h"

namespace kernel {

namespace {

ReasonCode title_code(CodeOperator op) {
  switch (op) {
    case CodeOperator::draft:
      return ReasonCode::version_drafts;
    case CodeOperator::debug:
      return ReasonCode::version_mends;
    case CodeOperator::improve:
      return ReasonCode::version_improves;
    case CodeOperator::ablate:
      return ReasonCode::version_ablates;
    case CodeOperator::merge:
      return ReasonCode::version_merges;
  }
  return {};
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
    from += (from.empty() ? "" : " and ") + parent;
    if (std::string id = code_node_id(study, parent); !id.empty()) node.parents.push_back(std::move(id));
  }
  if (node.parents.empty()) node.parents = {search_node_id(study)};
  Reason title = {title_code(version.op), {{"version", version.id}}};
  if (!from.empty()) title.values["from"] = std::move(from);
  state_text(node, "title", std::move(title));
  node.fields["version"] = version.id;
  node.fields["choice"] = version.why;
  state_text(node, "rationale",
             {ReasonCode::diff_of_version, {{"version", version.id}, {"workspace", version.workspace.hash.text()}}});
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
    Node node = dead_end_node({code_node_id(study, id)}, version ? version->why : study.spec.question);
    const auto say = [&](const char* field, ReasonCode code, std::map<std::string, ReasonValue> values = {}) {
      values["version"] = id;
      state_text(node, field, {code, std::move(values)});
    };
    if (const Run* failed = c.mean ? nullptr : failed_run(study, id)) {
      say("title", ReasonCode::version_does_not_run);
      say("failure_mode", ReasonCode::no_run_of_it_succeeded);
      state_text(node, "why_failed", failed->reason.empty() ? Reason{ReasonCode::its_run_failed} : failed->reason);
      const bool mended = std::any_of(study.code.versions.begin(), study.code.versions.end(), [&](const auto& other) {
        return other.op == CodeOperator::debug && other.parents.front() == id;
      });
      say("lesson", mended ? ReasonCode::mended_later : ReasonCode::never_mended, {{"run", failed->number}});
    } else if (const auto lacking = unmet(study, id); !lacking.empty()) {
      const std::string& requirement = lacking.front()->id;
      say("title", ReasonCode::version_lacks_requirement);
      say("failure_mode", ReasonCode::requirement_not_met_by_code, {{"requirement", requirement}});
      say("why_failed", ReasonCode::reviewer_found_it_lacking);
      say("lesson", ReasonCode::report_says_what_is_required, {{"requirement", requirement}});
    } else {
      say("title", ReasonCode::not_carried_forward, {{"name", id}});
      say("failure_mode", ReasonCode::others_had_better_mean);
      if (c.mean)
        say("why_failed", ReasonCode::mean_over_runs, mean_values(metric, c));
      else
        say("why_failed", ReasonCode::never_run);
      say("lesson", ReasonCode::selection_only);
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace kernel
