#include <fmt/format.h>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/read/references.h"
#include "artifacts/text/untrusted_text.h"
#include "kernel/domain/enum_names.h"

namespace artifacts {
namespace {

/// Compares the entries of one page with the recorded ones: none missing, none added.
class Entries {
 public:
  Entries(const Layer& layer, std::string_view prefix, RuleId unrecorded, Findings& findings)
      : layer_(layer), prefix_(prefix), unrecorded_(unrecorded), findings_(findings) {}

  void compare(const std::set<std::string>& recorded) const {
    for (const std::string& id : recorded)
      if (!layer_.find(id))
        findings_.add(RuleId::missing_entry, layer_.file, 0, fmt::format("{} was recorded and is not here", quote(id)));
    for (const Block& block : layer_.blocks)
      if (is_id(block.id, prefix_) && !recorded.contains(block.id))
        findings_.add(unrecorded_, layer_.file, block.line,
                      fmt::format("{} is not in the event log: {}", block.id, quote(block.title)));
  }

 private:
  const Layer& layer_;
  const std::string_view prefix_;
  const RuleId unrecorded_;
  Findings& findings_;
};

void compare_status(const kernel::Claim& claim, const Layer& claims, Findings& findings) {
  for (const Block& block : claims.blocks) {
    if (block.id != claim.id) continue;
    for (const Field& field : block.fields)
      if (same_word(field.name, "Status") && !same_word(trimmed(field.text), claim.status))
        findings.add(RuleId::changed_status, claims.file, field.line,
                     fmt::format("{} stands here as {}, and was recorded as {}", claim.id, quote(field.text),
                                 quote(claim.status)));
  }
}

void compare_nodes(const AuditedRecord& record, Findings& findings) {
  const Tree& tree = record.artifact.tree;
  if (!tree.present || !tree.readable) return;
  std::map<std::string, kernel::NodeType> recorded;
  for (const kernel::Node& node : record.study.nodes) recorded[node.id] = node.type;
  std::set<std::string> there;
  for (const TreeNode& node : tree.nodes) {
    there.insert(node.id);
    const auto at = recorded.find(node.id);
    if (at == recorded.end())
      findings.add(RuleId::unrecorded_node, tree.file, node.line,
                   fmt::format("{} is not in the event log: {}", quote(node.id), quote(node.title)));
    else if (node.type_written != kernel::name(at->second))
      findings.add(RuleId::changed_status, tree.file, node.line,
                   fmt::format("{} stands here as {}, and was recorded as {}", quote(node.id), quote(node.type_written),
                               kernel::name(at->second)));
  }
  for (const auto& [id, type] : recorded)
    if (!there.contains(id))
      findings.add(RuleId::missing_entry, tree.file, 0,
                   fmt::format("{}, a {}, was recorded and is not here", quote(id), kernel::name(type)));
}

}  // namespace

void audit_entries(const AuditedRecord& record, Findings& findings) {
  std::set<std::string> claims, experiments;
  for (const kernel::Claim& claim : record.study.claims) claims.insert(claim.id);
  for (const kernel::Experiment& e : record.study.experiments) experiments.insert(e.registration.experiment);
  Entries(record.artifact.claims, "C", RuleId::unrecorded_claim, findings).compare(claims);
  Entries(record.artifact.experiments, "E", RuleId::unrecorded_experiment, findings).compare(experiments);
  for (const kernel::Claim& claim : record.study.claims) compare_status(claim, record.artifact.claims, findings);
  compare_nodes(record, findings);
}

}  // namespace artifacts
