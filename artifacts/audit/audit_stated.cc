#include "artifacts/audit/audit_stated.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "artifacts/read/references.h"
#include "artifacts/text/english.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

const Field* criterion_of(const Block& claim) {
  const Field* field = claim.field("Falsification criteria");
  return field ? field : claim.field("Falsification");
}

/// Words that are about the claim and not about its subject.
bool is_about_claims(const std::string& stem) {
  static const std::vector<std::string> about = stems_in(
      "claim statement hypothesis assertion proposition false wrong incorrect untrue true correct valid invalid hold "
      "holds held refute refutes refuted disprove disproves disproved falsify falsifies falsified contradict "
      "contradicts "
      "result results contrary evidence data observation observations observed find found show shows shown case "
      "opposite "
      "turn turns turned out otherwise above fail fails failed be");
  return std::ranges::find(about, stem) != about.end() || is_id(stem, "c");
}

/// Whether the criterion only says that the claim is false, and names nothing observable.
bool is_tautology(std::string_view criterion, const Block& claim) {
  const Field* statement = claim.field("Statement");
  const std::vector<std::string> stated = stems_in(statement ? statement->text : claim.title);
  std::set<std::string> said(stated.begin(), stated.end());
  for (std::string& stem : stems_in(claim.title)) said.insert(std::move(stem));
  std::size_t own = 0, repeated = 0;
  for (const std::string& stem : stems_in(criterion)) {
    if (is_about_claims(stem)) continue;
    (said.contains(stem) ? repeated : own) += 1;
  }
  if (own + repeated == 0) return true;
  // "It is not the case that …": only the statement and a denial.
  return own == 0 && denies(criterion) && 10 * repeated >= 8 * stated.size();
}

/// Calls `judge` for each claim with an id.
template <typename Judge>
void each_claim(const Artifact& artifact, Judge judge) {
  for (const Block& block : artifact.claims.blocks)
    if (is_id(block.id, "C")) judge(block);
}

std::string_view first_word_of(std::string_view text) {
  text = trimmed(text);
  const auto start = std::ranges::find_if(text, is_alnum);
  const auto end = std::find_if_not(start, text.end(), is_alnum);
  return text.substr(static_cast<std::size_t>(start - text.begin()), static_cast<std::size_t>(end - start));
}

std::string_view status_of(const Block& claim) {
  const Field* status = claim.field("Status");
  return status ? first_word_of(status->text) : std::string_view();
}

/// Which experiments support which claims, by id.
class Support {
 public:
  Support(const Artifact& artifact, Findings& findings) : artifact_(artifact), findings_(findings) {}

  void judge() {
    for (const Block& block : artifact_.experiments.blocks) experiments_.insert(block.id);
    each_claim(artifact_, [&](const Block& claim) { read(claim); });
    if (artifact_.claims.present)
      for (const Block& block : artifact_.experiments.blocks)
        if (is_id(block.id, "E")) experiment(block);
    each_claim(artifact_, [&](const Block& claim) {
      proof(claim);
      dependencies(claim);
    });
    results();
  }

 private:
  void read(const Block& claim) {
    status_.emplace(claim.id, status_of(claim));
    for (const Field& field : claim.fields)
      for (const Reference& r : ids_in(field.text, "E", field.text_line)) named_.insert(r.text);
  }

  void experiment(const Block& block) {
    if (!named_.contains(block.id))
      findings_.add(RuleId::orphan_experiment, artifact_.experiments.file, block.line,
                    fmt::format("no claim names {} ({})", block.id, quote(block.title)));
    if (const Field* verifies = block.field("Verifies"))
      for (const Reference& r : ids_in(verifies->text, "C", verifies->text_line)) verified_[block.id].insert(r.text);
  }

  void proof(const Block& claim) {
    const Field* proof = claim.field("Proof");
    if (!proof || !artifact_.experiments.present || !is_supported(claim)) return;
    for (const Reference& r : ids_in(proof->text, "E", proof->text_line)) {
      if (!experiments_.contains(r.text) || verified_[r.text].contains(claim.id)) continue;
      findings_.add(RuleId::one_sided_proof, artifact_.claims.file, r.line,
                    fmt::format("{} has {} as its Proof, which does not verify it", claim.id, r.text));
    }
  }

  void dependencies(const Block& claim) {
    const Field* field = claim.field("Dependencies");
    if (!field || !is_supported(claim)) return;
    for (const Reference& r : ids_in(field->text, "C", field->text_line)) {
      const auto base = status_.find(r.text);
      if (base == status_.end()) continue;
      for (const std::string_view fallen : {"refuted", "withdrawn"})
        if (same_word(base->second, fallen))
          findings_.add(RuleId::fallen_dependency, artifact_.claims.file, r.line,
                        fmt::format("{} is supported and depends on {}, which is {}", claim.id, r.text, fallen));
    }
  }

  /// Adds pages of results that are named by an experiment's id.
  void results() {
    if (!artifact_.experiments.present) return;
    for (const Layer& page : artifact_.evidence) {
      if (!page.file.starts_with("evidence/results/")) continue;
      const std::string stem = page.file.substr(page.file.rfind('/') + 1, page.file.size() - page.file.rfind('/') - 4);
      if (is_id(stem, "E") && !experiments_.contains(stem))
        findings_.add(RuleId::orphan_experiment, page.file, 0,
                      fmt::format("these are results of {}, which logic/experiments.md does not have", stem));
    }
  }

  const Artifact& artifact_;
  Findings& findings_;
  std::set<std::string> experiments_;
  std::map<std::string, std::string_view> status_;  ///< Of claims.
  std::set<std::string> named_;                     ///< Experiments in any field of any claim.
  std::map<std::string, std::set<std::string>> verified_;
};

std::string shares(const std::map<std::string, std::size_t>& counts) {
  std::string text;
  for (const auto& [value, n] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, value);
  return text;
}

}  // namespace

bool is_supported(const Block& claim) {
  return same_word(status_of(claim), "supported");
}

void audit_falsification(const Artifact& artifact, Findings& findings) {
  each_claim(artifact, [&](const Block& claim) {
    const Field* field = criterion_of(claim);
    if (!field) return;  // `check` reports a missing field.
    if (says_nothing(field->text))
      findings.add(RuleId::no_falsification, artifact.claims.file, field->line,
                   fmt::format("{} says {} where its falsification criteria should be", claim.id, quote(field->text)));
    else if (is_tautology(field->text, claim))
      findings.add(RuleId::tautological_falsification, artifact.claims.file, field->line,
                   fmt::format("what would refute {} is only that it is not so: {}", claim.id, quote(field->text)));
  });
}

void audit_support(const Artifact& artifact, Findings& findings) {
  Support(artifact, findings).judge();
}

void audit_provenance(const Artifact& artifact, Findings& findings) {
  std::map<std::string, std::size_t> support, provenance;
  for (const TreeNode& node : artifact.tree.nodes) {
    ++support[node.support_level.empty() ? "of no stated support" : node.support_level];
    ++provenance[node.provenance.empty() ? "of no stated provenance" : node.provenance];
  }
  if (!artifact.tree.nodes.empty())
    findings.add(RuleId::provenance, artifact.tree.file, 0,
                 fmt::format("{} nodes: {}; {}", artifact.tree.nodes.size(), shares(support), shares(provenance)));
}

void audit_stated(const Artifact& artifact, const SafeRoot& root, Findings& findings) {
  audit_falsification(artifact, findings);
  audit_scope(artifact, findings);
  audit_support(artifact, findings);
  audit_branches(artifact, findings);
  audit_sources(artifact, root, findings);
  audit_provenance(artifact, findings);
}

}  // namespace artifacts
