#include <algorithm>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "artifacts/text/untrusted_text.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/layers.h"

namespace artifacts {

using kernel::Node;
using kernel::Study;

namespace {

/// Only the verdict on its hypothesis turns an observation into a claim.
void put_standing(YAML::Emitter& out, const Study& study, const Node& node) {
  const std::string claim = node.hypothesis.empty() ? "" : claim_id(study, node.hypothesis);
  const auto of_claim = [&](const kernel::Claim& c) { return c.id == claim; };
  const auto stated = std::ranges::find_if(study.claims, of_claim);
  const bool decided = stated != study.claims.end() && stated->status != "hypothesis";
  out << YAML::Key << "potential_type" << YAML::Value << (node.hypothesis.empty() ? "unknown" : "claim");
  out << YAML::Key << "promoted" << YAML::Value << decided;
  if (!node.hypothesis.empty()) out << YAML::Key << "hypothesis" << YAML::Value << node.hypothesis;
  if (!decided) return;
  out << YAML::Key << "promoted_to" << YAML::Value << claim;
  out << YAML::Key << "status" << YAML::Value << stated->status;
}

void put_observation(YAML::Emitter& out, const Study& study, const Node& node, std::size_t number) {
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

std::vector<const Node*> observations_of(const Study& study) {
  std::vector<const Node*> all;
  for (const Node& node : study.nodes)
    if (node.type == kernel::NodeType::insight && !node.by.empty()) all.push_back(&node);
  return all;
}

std::string observations_page(const Study& study) {
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
