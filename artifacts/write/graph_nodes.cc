#include "artifacts/write/graph_nodes.h"

#include <algorithm>

#include <fmt/format.h>

#include "artifacts/words/result_tables.h"
#include "artifacts/words/study_words.h"
#include "kernel/domain/enum_names.h"
#include "kernel/search/search.h"
#include "kernel/views/finding.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::HypothesisRecord;
using kernel::Node;
using kernel::NodeType;
using kernel::Study;

namespace {

/// Dropped candidates are counted in the rung's node; these many of the kept ones are named.
constexpr std::size_t most_named = 10;

class Graph {
 public:
  explicit Graph(const Study& study) : study_(study) {}

  GraphNodes all() {
    for (const Node& node : study_.nodes) {
      add(node, node.id);
      if (node.experiment.empty()) continue;
      for (const HypothesisRecord& record : study_.hypotheses)
        if (record.experiment.text() == node.experiment.text() && record.result && record.withdrawn.empty())
          result(node, record);
    }
    rungs();
    amendments();
    gates();
    messages();
    fork();
    // In the order of the log: what an event led to comes after it.
    std::ranges::stable_sort(graph_.nodes, {}, [&](const Node& node) { return first_line(node.id); });
    return std::move(graph_);
  }

 private:
  const kernel::Origin* origin(const std::string& of) const {
    const auto at = study_.origins.find(of);
    return at == study_.origins.end() ? nullptr : &at->second;
  }

  void add(Node node, const std::string& told_in) {
    if (const kernel::Origin* told = origin(told_in)) {
      graph_.told_by[node.id].push_back(told->number);
      if (node.time_ms == 0) node.time_ms = told->wall_ms;
    }
    // What a hypothesis led to hangs from its result.
    if (node.type == NodeType::dead_end && !node.hypothesis.empty())
      if (const HypothesisRecord* record = study_.hypothesis(node.hypothesis); record && record->result)
        if (const std::string id = result_node_id(study_, *record); !id.empty() && !node.parents.empty())
          node.parents.front() = id;
    if (node.type == NodeType::dead_end && node.hypothesis.empty() && node.by.empty() && study_.search &&
        !node.parents.empty() && node.parents.front() == kernel::search_node_id(study_))
      if (const std::string id = rung_of(node); !id.empty()) node.parents.front() = id;
    graph_.nodes.push_back(std::move(node));
  }

  std::int64_t first_line(const std::string& id) const {
    const auto told = graph_.told_by.find(id);
    return told == graph_.told_by.end() ? 0 : told->second.front();
  }

  std::string rung_id(int rung) const {
    const std::string searched = kernel::search_node_id(study_);
    return fmt::format("{}-R{}", searched.empty() ? "S" : searched, rung);
  }

  /// The rung that dropped a candidate: the last one that was ranked before the candidate's node.
  std::string rung_of(const Node& dropped) const {
    const kernel::Origin* told = origin(dropped.id);
    std::string id;
    for (const kernel::RungRanked& ranked : study_.search->ranked)
      if (const kernel::Origin* at = origin(fmt::format("rung {}", ranked.rung));
          at && told && at->number < told->number)
        id = rung_id(ranked.rung);
    return id;
  }

  /// The newest node of the log that was recorded before the event; else the question.
  std::string node_before(const std::string& event) const {
    const kernel::Origin* at = origin(event);
    std::string before = study_.nodes.empty() ? "" : study_.nodes.front().id;
    for (const Node& node : study_.nodes) {
      const kernel::Origin* told = origin(node.id);
      if (at && told && told->number < at->number && node.type != NodeType::dead_end) before = node.id;
    }
    return before;
  }

  void result(const Node& experiment, const HypothesisRecord& record) {
    Node node;
    node.id = result_node_id(study_, record);
    node.type = NodeType::experiment;
    node.parents = {experiment.id};
    node.title = fmt::format("{} {}", record.hypothesis.id, verdict_text(record));
    node.hypothesis = record.hypothesis.id;
    node.fields["result"] = kernel::answer_words(study_.spec, record, study_.wording);
    node.fields["outcome"] =
        record.result->reason.empty() ? "no reason was recorded" : sentence(record.result->reason, study_.wording);
    node.fields["status"] = verdict_text(record);
    node.evidence = {verdict_table_path(record.experiment)};
    add(std::move(node), record.experiment.text());
  }

  void rungs() {
    if (!study_.search) return;
    const std::string searched = kernel::search_node_id(study_);
    std::string parent = searched.empty() ? node_before("rung 1") : searched;
    const bool modelled = study_.search->plan.design == kernel::SearchDesign::model;
    for (const kernel::RungRanked& ranked : study_.search->ranked) {
      // Only the last ranking of a search by a model selects. What became of single versions is told by their nodes.
      if ((modelled || ranked.floor) && !ranked.last) continue;
      const std::string name = fmt::format("rung {}", ranked.rung);
      Node node;
      node.id = rung_id(ranked.rung);
      node.type = NodeType::experiment;
      node.parents = {parent};
      long long kept = 0, dropped = 0;
      std::string named;
      for (const kernel::Candidate& c : ranked.candidates) {
        if (c.baseline) continue;
        if (!c.kept) {
          ++dropped;
          continue;
        }
        if (++kept <= static_cast<long long>(most_named))
          named += fmt::format("{}{}{}", named.empty() ? "" : "; ", cell_text(c.cell),
                               c.mean ? fmt::format(" (mean {})", prose::rounded(*c.mean, c.sd)) : "");
      }
      node.title =
          fmt::format("{}{}: {} of {} kept", "Rung", name.substr(4), kept, prose::counted(kept + dropped, "candidate"));
      node.fields["result"] = named.empty() ? "no candidate was kept" : "Kept: " + named;
      node.fields["exploration"] =
          fmt::format("{} dropped, listed in evidence/results/{}.md", dropped, ranked.experiment);
      node.fields["status"] = "selection, no evidence";
      node.evidence = {fmt::format("evidence/results/{}.md", ranked.experiment)};
      parent = node.id;
      add(std::move(node), name);
    }
  }

  void amendments() {
    for (std::size_t i = 0; i < study_.amendments.size(); ++i) {
      const kernel::CodeAmendment& change = study_.amendments[i];
      const std::string name = fmt::format("code {}", i + 1);
      std::map<std::string, int> lines;
      for (const kernel::CodePlace& place : change.places) ++lines[place.file];
      Node node;
      node.id = fmt::format("A{}", i + 1);
      node.type = NodeType::pivot;
      node.parents = {node_before(name)};
      node.title = fmt::format("An agent changed the code ({})", prose::counted(std::ssize(lines), "file"));
      node.fields["prior_direction"] = "the code of the workspace " + change.original.text().substr(0, 12);
      node.fields["new_direction"] = "the code of the workspace " + change.amended.text().substr(0, 12);
      std::string why;
      for (const kernel::CheckFinding& finding : change.mends)
        why += (why.empty() ? "" : "; ") + finding.subject + ": " + sentence(finding.message, study_.wording);
      node.fields["reason"] = why.empty() ? "no finding on the original code asked for it" : why;
      if (study_.amendment() == &change) node.evidence = {"src/amendment.diff"};
      add(std::move(node), name);
    }
  }

  void gates() {
    for (const kernel::GateRecord& record : study_.gates) {
      if (!record.decided) continue;
      const std::string name = "gate " + record.gate.id;
      Node node;
      node.id = "G-" + record.gate.id;
      node.type = NodeType::decision;
      node.parents = {node_before(name)};
      const std::string on = record.gate.on == kernel::GateOn::tool      ? "a call of " + record.gate.tool
                             : record.gate.on == kernel::GateOn::secrets ? "publishing files that look like secrets"
                                                                         : std::string(kernel::name(record.gate.on));
      node.title = fmt::format("{}: {}", record.approved ? "Approved" : "Declined", on);
      node.fields["choice"] = record.approved ? "approve" : "decline";
      node.alternatives = {record.approved ? "decline" : "approve"};
      node.fields["rationale"] = record.why.empty() ? "no reason was given" : sentence(record.why, study_.wording);
      if (kernel::is_person(record.by)) node.by = kernel::person_actor;
      add(std::move(node), name);
    }
  }

  void messages() {
    for (std::size_t i = 0; i < study_.steering.size(); ++i) {
      const std::string name = fmt::format("message {}", i + 1);
      Node node;
      node.id = fmt::format("M{}", i + 1);
      node.type = NodeType::decision;
      node.parents = {node_before(name)};
      node.title = "A person gave the agents a direction";
      node.fields["choice"] = study_.steering[i];
      node.by = kernel::person_actor;
      add(std::move(node), name);
    }
  }

  void fork() {
    if (!study_.fork) return;
    Node node;
    node.id = "F1";
    node.type = NodeType::decision;
    node.parents = {node_before("fork")};
    node.title = "Forked from study " + study_.fork->from;
    node.fields["choice"] = fmt::format("go on from an earlier point of study {}", study_.fork->from);
    node.by = kernel::person_actor;
    add(std::move(node), "fork");
  }

  const Study& study_;
  GraphNodes graph_;
};

}  // namespace

std::string result_node_id(const kernel::Exploration& study, const HypothesisRecord& record) {
  const Node* node = node_of(study, record.experiment);
  return node ? fmt::format("{}-{}", node->id, record.hypothesis.id) : "";
}

GraphNodes graph_nodes(const Study& study) {
  if (!shows_sizes(study)) return {study.nodes, {}};
  return Graph(study).all();
}

}  // namespace artifacts
