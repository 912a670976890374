#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <set>

#include <fmt/format.h>

#include "artifacts/check_rules.h"
#include "artifacts/reference_check.h"
#include "artifacts/text.h"

namespace artifacts {
namespace {

/// The claim's status; what live capture writes is read too.
constexpr std::array<std::string_view, 8> statuses{"hypothesis", "supported", "refuted",   "untested",
                                                   "testing",    "weakened",  "withdrawn", "inconclusive"};

std::string_view first_word(std::string_view text) {
  text = trimmed(text);
  const auto start = std::find_if(text.begin(), text.end(), is_alnum);
  const auto end = std::find_if_not(start, text.end(), is_alnum);
  return text.substr(static_cast<std::size_t>(start - text.begin()), static_cast<std::size_t>(end - start));
}

class LayerCheck {
 public:
  LayerCheck(const Artifact& artifact, const KnownIds& known, const SafeRoot& root, Findings& findings)
      : artifact_(artifact), known_(known), root_(root), findings_(findings), references_(artifact, known, findings) {}

  void all() {
    for (const Layer* layer : {&artifact_.problem, &artifact_.claims, &artifact_.experiments, &artifact_.heuristics,
                               &artifact_.related_work})
      unique_ids(*layer);
    for (const Block& block : artifact_.claims.blocks)
      if (!block.id.empty()) claim(block);
    for (const Block& block : artifact_.experiments.blocks)
      if (!block.id.empty()) experiment(block);
    for (const Block& block : artifact_.heuristics.blocks)
      if (!block.id.empty()) heuristic(block);
    for (const Block& block : artifact_.related_work.blocks)
      if (!block.id.empty()) related_work(block);
    for (const Block& block : artifact_.concepts.blocks)
      if (block.level == 2) need(artifact_.concepts, block, {{"Definition"}});
    for (const Block& block : artifact_.problem.blocks) problem(block);
    for (const Layer& layer : artifact_.evidence) evidence(layer);
  }

 private:
  using Names = std::initializer_list<std::string_view>;  ///< Any of these will do.

  void unique_ids(const Layer& layer) {
    std::map<std::string_view, int> seen;
    for (const Block& block : layer.blocks) {
      if (block.id.empty()) continue;
      const auto [first, added] = seen.emplace(block.id, block.line);
      if (!added)
        findings_.add(RuleId::duplicate_id, layer.file, block.line,
                      fmt::format("the id {} is already used in line {}", quote(block.id), first->second));
    }
  }

  void need(const Layer& layer, const Block& block, std::initializer_list<Names> fields) {
    std::string missing;
    for (const Names& names : fields)
      if (std::none_of(names.begin(), names.end(), [&](std::string_view name) { return block.field(name); }))
        missing += fmt::format("{}**{}**", missing.empty() ? "" : ", ", *names.begin());
    if (!missing.empty())
      findings_.add(RuleId::missing_field, layer.file, block.line,
                    fmt::format("{} lacks {}", block.id.empty() ? quote(block.heading) : block.id, missing));
  }

  void claim(const Block& block) {
    const std::string& file = artifact_.claims.file;
    need(artifact_.claims, block, {{"Statement"}, {"Status"}, {"Falsification criteria", "Falsification"}, {"Proof"}});
    const Field* status = block.field("Status");
    const std::string_view state = status ? first_word(status->text) : std::string_view();
    if (!state.empty() &&
        std::none_of(statuses.begin(), statuses.end(), [&](std::string_view s) { return same_word(s, state); }))
      findings_.add(
          RuleId::unknown_value, file, status->line,
          fmt::format("{} has the status {}; hypothesis, supported and refuted are known", block.id, quote(state)));
    if (const Field* dependencies = block.field("Dependencies"))
      for (const Reference& id : ids_in(dependencies->text, "C", dependencies->text_line))
        references_.claim(id.text, file, id.line, fmt::format("Dependencies of {}", block.id));
    if (const Field* proof = block.field("Proof")) check_proof(block, *proof, state);
  }

  void check_proof(const Block& block, const Field& proof, std::string_view state) {
    const std::string& file = artifact_.claims.file;
    const std::string by = fmt::format("Proof of {}", block.id);
    const bool settled = same_word(state, "supported") || same_word(state, "refuted");
    bool any = false;
    std::set<std::string> seen;
    for (const Reference& r : references_in(proof.text, proof.text_line)) {
      if (!seen.insert(r.text).second) continue;
      if (r.kind == Reference::Kind::id && is_id(r.text, "E")) {
        references_.experiment(r.text, file, r.line, by);
        any = true;
      } else if (r.kind == Reference::Kind::path) {
        path(r, {"", "evidence", "logic"}, file, by, Severity::error);
        any = true;
      } else if (same_word(r.text, "pending") && !settled) {
        any = true;
      }
    }
    if (!any && settled)
      findings_.add(RuleId::no_proof, file, proof.line,
                    fmt::format("{} is {}, but its Proof names no experiment and no file", block.id, state));
  }

  void experiment(const Block& block) {
    const Layer& layer = artifact_.experiments;
    need(layer, block, {{"Verifies"}, {"Setup"}, {"Procedure"}, {"Expected outcome", "Expected results"}});
    if (const Field* verifies = block.field("Verifies"))
      for (const Reference& id : ids_in(verifies->text, "C", verifies->text_line))
        references_.claim(id.text, layer.file, id.line, fmt::format("Verifies of {}", block.id));
    if (const Field* dependencies = block.field("Dependencies"))
      for (const Reference& id : ids_in(dependencies->text, "E", dependencies->text_line))
        references_.experiment(id.text, layer.file, id.line, fmt::format("Dependencies of {}", block.id));
    if (const Field* evidence = block.field("Evidence"))
      for (const Reference& r : references_in(evidence->text, evidence->text_line))
        if (r.kind == Reference::Kind::path)
          path(r, {"", "evidence", "logic"}, layer.file, fmt::format("Evidence of {}", block.id), Severity::error);
    // A run may also be a command or a place in another repository; only what claims to lie in src/ can be looked up.
    if (const Field* run = block.field("Run"))
      for (const Reference& r : references_in(run->text, run->text_line))
        if (r.kind == Reference::Kind::path && r.text.starts_with("src/"))
          path(r, {"", "logic"}, layer.file, fmt::format("Run of {}", block.id), Severity::warning);
  }

  void heuristic(const Block& block) {
    const Layer& layer = artifact_.heuristics;
    need(layer, block, {{"Rationale"}, {"Sensitivity"}, {"Bounds"}});
    if (const Field* code = block.field("Code ref"))
      for (const Reference& r : references_in(code->text, code->text_line))
        if (r.kind == Reference::Kind::path)
          path(r, {"", "src", "logic/solution"}, layer.file, fmt::format("Code ref of {}", block.id), Severity::error);
  }

  void related_work(const Block& block) {
    const Layer& layer = artifact_.related_work;
    need(layer, block, {{"Type"}, {"Delta"}});
    if (const Field* affected = block.field("Claims affected"))
      for (const Reference& id : ids_in(affected->text, "C", affected->text_line))
        references_.claim(id.text, layer.file, id.line, fmt::format("Claims affected of {}", block.id),
                          Severity::warning);
  }

  void problem(const Block& block) {
    const Layer& layer = artifact_.problem;
    if (!block.id.empty()) need(layer, block, {{"Statement"}});
    for (const std::string_view name : {"Caused by", "Derived from"})
      if (const Field* field = block.field(name))
        for (const Reference& r : references_in(field->text, field->text_line))
          if (r.kind == Reference::Kind::id && (is_id(r.text, "O") || is_id(r.text, "G")) &&
              !known_.observations.contains(r.text))
            findings_.add(
                RuleId::unknown_observation, layer.file, r.line,
                fmt::format("{} refers to {}, which is neither an observation nor a gap", name, quote(r.text)));
  }

  void evidence(const Layer& layer) {
    const bool source = layer.file.starts_with("evidence/tables/") || layer.file.starts_with("evidence/figures/") ||
                        layer.file.starts_with("evidence/proofs/");
    bool has_source = false;
    for (const Block& block : layer.blocks) {
      has_source = has_source || block.field("Source");
      for (const std::string_view name : {"Claim", "Claims"})
        if (const Field* field = block.field(name))
          for (const Reference& id : ids_in(field->text, "C", field->text_line))
            references_.claim(id.text, layer.file, id.line, name, Severity::warning);
      if (const Field* node = block.field("Trace node"); node && artifact_.tree.readable)
        for (const Reference& id : ids_in(node->text, "N", node->text_line))
          if (!known_.nodes.contains(id.text))
            findings_.add_as(Severity::warning, RuleId::unknown_node, layer.file, id.line,
                             fmt::format("Trace node refers to {}, which is no node of the tree", quote(id.text)));
    }
    if (source && !has_source) findings_.add(RuleId::missing_field, layer.file, 1, "the page lacks **Source**");
  }

  /// `folders`: where the path may start from.
  void path(const Reference& r, Names folders, std::string_view file, std::string_view by, Severity severity) {
    std::vector<PathFrom> readings;
    for (const std::string_view folder : folders) readings.push_back({folder, r.text});
    for (const std::string_view folder : folders) readings.push_back({folder, r.target});
    require_path(find_path(root_, readings), r.text, file, r.line, by, severity, findings_);
  }

  const Artifact& artifact_;
  const KnownIds& known_;
  const SafeRoot& root_;
  Findings& findings_;
  ReferenceCheck references_;
};

}  // namespace

void check_layers(const Artifact& artifact, const KnownIds& known, const SafeRoot& root, Findings& findings) {
  LayerCheck(artifact, known, root, findings).all();
}

}  // namespace artifacts
