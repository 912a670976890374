#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "artifacts/text/untrusted_text.h"
#include "artifacts/words/result_tables.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/graph_nodes.h"
#include "artifacts/write/layers.h"
#include "kernel/domain/enum_names.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Node;
using kernel::Study;

namespace {

/// Deeper nodes are written at the top and name their parent, because readers limit their recursion.
constexpr int deepest = 40;

const std::set<std::string> text_keys = {
    "description", "thinking",     "result", "exploration", "outcome",         "status",        "choice", "rationale",
    "hypothesis",  "failure_mode", "lesson", "why_failed",  "prior_direction", "new_direction", "reason"};

class TreeWriting {
 public:
  explicit TreeWriting(const Study& study) : study_(study), graph_(graph_nodes(study)) { nest(); }

  std::string text() {
    out_.SetIndent(2);
    out_ << YAML::BeginMap << YAML::Key << "tree" << YAML::Value << YAML::BeginSeq;
    for (const Node* node : children_[""]) emit(*node);
    out_ << YAML::EndSeq << YAML::EndMap;
    return "# The exploration of study " + study_.id + ", from its event log: trace/events.jsonl\n" + out_.c_str() +
           "\n";
  }

 private:
  const Node* find(const std::string& id) const {
    const auto at = by_id_.find(id);
    return at == by_id_.end() ? nullptr : at->second;
  }

  /// The nearest ancestor that can have children, since a dead end is a leaf.
  std::string trunk(const Node& node) const {
    const Node* parent = node.parents.empty() ? nullptr : find(node.parents.front());
    while (parent && parent->type == kernel::NodeType::dead_end)
      parent = parent->parents.empty() ? nullptr : find(parent->parents.front());
    return parent && parent != &node ? parent->id : "";
  }

  void nest() {
    for (const Node& node : graph_.nodes) by_id_[node.id] = &node;
    for (const Node& node : graph_.nodes) {
      std::string parent = trunk(node);
      const int depth = parent.empty() ? 0 : depth_[parent] + 1;
      if (depth > deepest) parent.clear();
      depth_[node.id] = parent.empty() ? 0 : depth;
      nested_in_[node.id] = parent;
      children_[parent].push_back(&node);
    }
  }

  bool is_ancestor(const std::string& maybe, std::string id) const {
    while (!id.empty()) {
      id = nested_in_.at(id);
      if (id == maybe) return true;
    }
    return false;
  }

  void put(const char* key, const std::string& value) {
    if (value.empty()) return;
    // Folded text would be easier to read, but only quoting keeps every character.
    out_ << YAML::Key << key << YAML::Value << YAML::DoubleQuoted << clean(value).text;
  }

  void put(const char* key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    out_ << YAML::Key << key << YAML::Value << YAML::BeginSeq;
    for (const std::string& value : values) out_ << YAML::DoubleQuoted << clean(value).text;
    out_ << YAML::EndSeq;
  }

  std::string result_of(const kernel::ExperimentId& experiment) const {
    std::string text;
    for (const kernel::HypothesisRecord& record : study_.hypotheses) {
      if (record.experiment != experiment || !record.result) continue;
      if (!record.withdrawn.empty()) {
        text += fmt::format("{}{} was withdrawn: {}{}",
                            text.empty()          ? ""
                            : shows_sizes(study_) ? ", "
                                                  : " ",
                            record.hypothesis.id, without_stop(sentence(record.withdrawn, study_.wording)),
                            shows_sizes(study_) ? "" : ".");
        continue;
      }
      if (shows_sizes(study_)) {
        // Each has a node of its own.
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", record.hypothesis.id, verdict_text(record));
        continue;
      }
      text += fmt::format(
          "{}{} {}: {}", text.empty() ? "" : " ", record.hypothesis.id, kernel::words_of(record.result->verdict),
          record.result->reason.empty() ? "no reason was recorded." : sentence(record.result->reason, study_.wording));
    }
    return text.empty() ? "not analysed" : text;
  }

  /// For a command that a person ran: how it ended, and what it reported.
  std::string result_by_hand(const Node& node) const {
    std::string text;
    for (const std::string& id : node.runs) {
      const kernel::Run* run = study_.run(kernel::run_number(id));
      if (!run) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", id, kernel::name(run->state));
      if (!run->reason.empty()) text += " (" + sentence(run->reason, study_.wording) + ")";
      for (const auto& [name, value] : run->measurement.values) text += fmt::format(", {} = {}", name, value.value);
    }
    return text;
  }

  std::vector<std::string> evidence_of(const Node& node) const {
    std::vector<std::string> evidence;
    const auto add = [&](const std::string& item) {
      if (!item.empty() && std::ranges::find(evidence, item) == evidence.end()) evidence.push_back(item);
    };
    if (!node.experiment.empty()) {
      for (const std::string& claim : claims_of(study_, node.experiment)) add(claim);
      add("evidence/results/" + node.experiment + ".md");
    }
    if (!node.hypothesis.empty()) add(claim_id(study_, node.hypothesis));
    for (const std::string& item : node.evidence) {
      add(study_.experiment(kernel::ExperimentId(item)) ? "evidence/results/" + item + ".md" : item);
    }
    for (const std::string& run : node.runs) add(run + " in evidence/results/by_hand.csv");
    return evidence;
  }

  bool is_root(const Node& node) const { return node.type == kernel::NodeType::question && node.parents.empty(); }

  /// Adds to the root's description what the study extends.
  std::string with_lineage(const Node& node, std::string description) const {
    const kernel::Extended& extended = study_.spec.extends;
    if (extended.empty()) return description;
    if (const auto own = node.fields.find("description"); own != node.fields.end()) description = own->second;
    return fmt::format("{}{}Extends {} ({}), whose files have the SHA-256 {}: logic/related_work.md", description,
                       description.empty() ? "" : " ", extended.id, extended.title, extended.files);
  }

  void fields(const Node& node) {
    std::string description;
    for (const auto& [key, value] : node.fields)
      if (!text_keys.contains(key) && !(key == "registration"))
        description += (description.empty() ? "" : "; ") + key + ": " + value;
    if (!node.experiment.empty()) {
      const auto hash = node.fields.find("registration");
      description = fmt::format("Registered as {}{}", node.experiment,
                                hash == node.fields.end() ? "" : " under " + hash->second) +
                    (description.empty() ? "" : "; " + description);
    }
    if (is_root(node)) description = with_lineage(node, description);
    if (!node.fields.contains("description")) put("description", description);
    if (!node.experiment.empty() && !node.fields.contains("result")) put("result", result_of(node.experiment));
    if (node.type == kernel::NodeType::experiment && !node.by.empty()) put("result", result_by_hand(node));
    for (const auto& [key, value] : node.fields)
      if (text_keys.contains(key))
        put(key.c_str(), key == "description" && !description.empty() && is_root(node) ? description : value);
    if (node.type == kernel::NodeType::decision) put("alternatives", node.alternatives);
    put("evidence", evidence_of(node));
  }

  void emit(const Node& node) {
    out_ << YAML::BeginMap;
    out_ << YAML::Key << "id" << YAML::Value << node.id;
    out_ << YAML::Key << "type" << YAML::Value << std::string(kernel::name(node.type));
    put("title", node.title);
    out_ << YAML::Key << "support_level" << YAML::Value << "explicit";
    std::vector<std::string> refs;
    if (const auto told = graph_.told_by.find(node.id); told != graph_.told_by.end())
      for (const std::int64_t line : told->second) refs.push_back(fmt::format("trace/events.jsonl#L{}", line));
    if (refs.empty()) refs = {"trace/events.jsonl"};
    if (node.type == kernel::NodeType::question) refs.push_back("src/study.yaml");
    put("source_refs", refs);
    out_ << YAML::Key << "provenance" << YAML::Value
         << (node.type == kernel::NodeType::question || !node.by.empty() ? "user" : "ai-executed");
    if (node.time_ms)
      out_ << YAML::Key << "timestamp" << YAML::Value << YAML::DoubleQuoted << kernel::iso8601(node.time_ms);
    fields(node);
    std::vector<std::string> also;
    for (const std::string& parent : node.parents) {
      const bool known = find(parent) && parent != node.id && parent != nested_in_.at(node.id);
      const bool twice = std::ranges::find(also, parent) != also.end();
      if (known && !twice && !is_ancestor(parent, node.id)) also.push_back(parent);
    }
    put("also_depends_on", also);
    if (const auto below = children_.find(node.id); below != children_.end()) {
      out_ << YAML::Key << "children" << YAML::Value << YAML::BeginSeq;
      for (const Node* child : below->second) emit(*child);
      out_ << YAML::EndSeq;
    }
    out_ << YAML::EndMap;
  }

  const Study& study_;
  const GraphNodes graph_;
  std::map<std::string, const Node*> by_id_;
  std::map<std::string, int> depth_;
  std::map<std::string, std::string> nested_in_;
  std::map<std::string, std::vector<const Node*>> children_;
  YAML::Emitter out_;
};

/// Only the verdict on its hypothesis turns an observation into a claim.
void put_standing(YAML::Emitter& out, const kernel::Exploration& study, const Node& node) {
  const std::string claim = node.hypothesis.empty() ? "" : claim_id(study, node.hypothesis);
  const auto of_claim = [&](const kernel::Claim& c) { return c.id == claim; };
  const auto stated = std::ranges::find_if(study.claims, of_claim);
  const bool decided = stated != study.claims.end() && stated->status != "hypothesis";
  out << YAML::Key << "potential_type" << YAML::Value << (node.hypothesis.empty() ? "unknown" : "claim");
  out << YAML::Key << "promoted" << YAML::Value << decided;
  if (!node.hypothesis.empty()) out << YAML::Key << "hypothesis" << YAML::Value << node.hypothesis.text();
  if (!decided) return;
  out << YAML::Key << "promoted_to" << YAML::Value << claim;
  out << YAML::Key << "status" << YAML::Value << stated->status;
}

void put_observation(YAML::Emitter& out, const kernel::Exploration& study, const Node& node, std::size_t number) {
  std::string context = node.id + " of trace/exploration_tree.yaml";
  for (const std::string& run : node.runs) context += ", " + run + " of evidence/results/by_hand.csv";
  const auto said = node.fields.find("description");
  out << YAML::BeginMap;
  out << YAML::Key << "id" << YAML::Value << fmt::format("O{:02}", number);
  out << YAML::Key << "timestamp" << YAML::Value << YAML::DoubleQuoted << kernel::iso8601(node.time_ms);
  out << YAML::Key << "provenance" << YAML::Value << "user";
  out << YAML::Key << "content" << YAML::Value << YAML::DoubleQuoted
      << clean(said == node.fields.end() ? node.title : said->second).text;
  out << YAML::Key << "context" << YAML::Value << YAML::DoubleQuoted << clean(context).text;
  put_standing(out, study, node);
  out << YAML::EndMap;
}

}  // namespace

std::string tree_page(const Study& study) {
  return TreeWriting(study).text();
}

std::vector<const Node*> observations_of(const kernel::Exploration& study) {
  std::vector<const Node*> all;
  for (const Node& node : study.nodes)
    if (node.type == kernel::NodeType::insight && !node.by.empty()) all.push_back(&node);
  return all;
}

std::string observations_page(const kernel::Exploration& study) {
  const std::vector<const Node*> all = observations_of(study);
  if (all.empty()) return "";
  YAML::Emitter out;
  out.SetIndent(2);
  out << YAML::BeginMap << YAML::Key << "observations" << YAML::Value << YAML::BeginSeq;
  for (std::size_t i = 0; i < all.size(); ++i) put_observation(out, study, *all[i], i + 1);
  out << YAML::EndSeq << YAML::EndMap;
  return std::string("# What people noted. None of it is a claim before a hypothesis that says so has its verdict.\n") +
         out.c_str() + "\n";
}

}  // namespace artifacts
