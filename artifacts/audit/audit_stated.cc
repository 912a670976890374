#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/read/references.h"
#include "artifacts/text/english.h"
#include "artifacts/text/escaping.h"
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

std::string_view status_of(const Block& claim) {
  const Field* status = claim.field("Status");
  return status ? first_word(status->text) : std::string_view();
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

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 3> quantifiers{"all", "any", "every"};
/// Before a quantifier, these words make it the scope of the statement.
constexpr std::array<std::string_view, 13> openers{"in",   "across", "for",  "on", "under",  "over",      "to",
                                                   "with", "at",     "from", "by", "within", "throughout"};
/// After a quantifier, these words limit it to what was measured.
constexpr std::array<std::string_view, 38> bounds{
    "two",       "three",    "four",       "five",      "six",         "seven",      "eight",    "nine",
    "ten",       "twelve",   "tested",     "evaluated", "studied",     "considered", "examined", "measured",
    "reported",  "listed",   "identified", "observed",  "audited",     "sampled",    "compared", "included",
    "described", "these",    "those",      "our",       "its",         "their",      "recorded", "registered",
    "given",     "selected", "analysed",   "analyzed",  "benchmarked", "above"};
/// These words alone say that there are no exceptions.
constexpr std::array<std::string_view, 14> absolute{
    "always",     "universally", "invariably",   "everywhere", "unconditionally", "infallibly",  "guarantees",
    "guaranteed", "guarantee",   "definitively", "undeniably", "indisputably",    "undoubtedly", "irrefutably"};
/// After a quantifier, these words include what was not measured.
constexpr std::array<std::string_view, 8> everything{"other", "existing", "prior",       "previous",
                                                     "known", "possible", "conceivable", "competing"};
constexpr std::array<std::string_view, 7> wholly{"completely", "entirely", "totally",   "fully",
                                                 "perfectly",  "wholly",   "flawlessly"};
constexpr std::array<std::string_view, 10> cures{"eliminat", "solv", "remov",   "prevent", "resolv",
                                                 "fix",      "cure", "overcom", "replac",  "predict"};
constexpr std::array<std::string_view, 9> harms{"fail", "lose",         "los", "degrad", "harm",
                                                "hurt", "underperform", "err", "break"};

bool is_number(const std::string& word) {
  return !word.empty() && is_digit(word.front());
}

/// Finds the words of one sentence that claim unlimited scope.
class Scope {
 public:
  Scope(std::string_view sentence, bool has_formal_proof) : formal_(has_formal_proof) {
    // A comma counts as a word: what follows it limits nothing before it.
    while (!sentence.empty()) {
      const auto comma = sentence.find(", ");
      for (std::string& word : words_in(sentence.substr(0, comma))) words_.push_back(std::move(word));
      if (comma == std::string_view::npos) break;
      words_.emplace_back(",");
      sentence.remove_prefix(comma + 2);
    }
  }

  std::optional<std::string> unbounded() const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (const std::size_t n = at(i); n > 0) return phrase(i, n);
    return std::nullopt;
  }

 private:
  std::string_view word(std::size_t i) const { return i < words_.size() ? std::string_view(words_[i]) : ""; }

  std::string phrase(std::size_t first, std::size_t n) const {
    std::string text;
    for (std::size_t i = first; i < std::min(first + n, words_.size()); ++i)
      if (words_[i] != ",") text += (i > first ? " " : "") + words_[i];
    return text;
  }

  /// Number of words in the phrase that starts here; 0 if none does.
  std::size_t at(std::size_t i) const {
    const std::string_view w = word(i), next = word(i + 1);
    const bool denied = i > 0 && (word(i - 1) == "not" || word(i - 1) == "no" || word(i - 1) == "nor");
    if (denied) return 0;
    if (is_one_of(absolute, w)) return 1;
    if (!formal_ && (w == "proves" || w == "proven" || w == "prove")) return 1;
    if ((w == "regardless" || w == "irrespective") && next == "of") return 2;
    if (w == "no" && next == "matter") return 2;
    if (w == "without" && (next == "exception" || next == "exceptions" || next == "limit" || next == "limits"))
      return 2;
    if (w == "best" && next == "possible") return 2;
    if (w == "no" && (next == "other" || next == "better")) return 2;
    if (w == "never" && begins_with_one_of(harms, next)) return 2;
    if (is_one_of(wholly, w) && begins_with_one_of(cures, next)) return 2;
    if (!is_one_of(quantifiers, w)) return 0;
    if (is_one_of(everything, next) && !bounded(i)) return 2;
    const bool of = i > 0 && word(i - 1) == "of" && w != "all";
    const bool opens =
        i == 0 || of || is_one_of(openers, word(i - 1)) || word(i - 1) == "nearly" || word(i - 1) == "virtually";
    return opens && !bounded(i) ? 2 : 0;
  }

  /// Whether the following words give a number, or limit it to what was measured.
  bool bounded(std::size_t i) const {
    if (word(i + 1) == "of") return true;
    for (std::size_t k = i + 1; k <= i + 4 && k < words_.size() && words_[k] != ","; ++k)
      if (is_one_of(bounds, words_[k]) || is_number(words_[k])) return true;
    return false;
  }

  Words words_;
  bool formal_;
};

/// Removes text in brackets, which explains and claims nothing.
std::string without_brackets(std::string_view text) {
  std::string result;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (depth == 0) result += c;
    if (c == ')') depth = std::max(0, depth - 1);
  }
  return depth == 0 ? result : std::string(text);
}

bool rests_on_a_proof(const Block& claim) {
  const Field* proof = claim.field("Proof");
  return proof && proof->text.find("proofs/") != std::string::npos;
}

void judge_scope(const Artifact& artifact, const Block& claim, Findings& findings) {
  const Field* conditions = claim.field("Conditions");
  const bool formal = rests_on_a_proof(claim);
  const auto say = [&](int line, std::string_view what) {
    findings.add(RuleId::unbounded_claim, artifact.claims.file, line,
                 fmt::format("{} says {}, {}", claim.id, quote(what),
                             conditions && !says_nothing(conditions->text)
                                 ? fmt::format("and its Conditions are {}", quote(conditions->text))
                                 : "and no Conditions bound it"));
  };
  if (conditions && says_nothing(conditions->text))
    findings.add(RuleId::unbounded_claim, artifact.claims.file, conditions->line,
                 fmt::format("{} is supported under the Conditions {}", claim.id, quote(conditions->text)));
  // One finding per claim, because the title usually repeats the Statement.
  const Field* statement = claim.field("Statement");
  const std::string said = statement ? without_brackets(statement->text) : "";
  for (const std::string_view sentence : sentences_in(said))
    if (const auto found = Scope(sentence, formal).unbounded()) return say(statement->line, *found);
  if (const auto found = Scope(claim.title, formal).unbounded()) say(claim.line, *found);
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

void audit_provenance(const Artifact& artifact, Findings& findings) {
  std::map<std::string, std::size_t> support, provenance;
  for (const TreeNode& node : artifact.tree.nodes) {
    ++support[node.support_level.empty() ? "of no stated support" : node.support_level];
    ++provenance[node.provenance.empty() ? "of no stated provenance" : node.provenance];
  }
  const auto share = [](const auto& counted) { return fmt::format("{} {}", counted.second, counted.first); };
  if (!artifact.tree.nodes.empty())
    findings.add(RuleId::provenance, artifact.tree.file, 0,
                 fmt::format("{} nodes: {}; {}", artifact.tree.nodes.size(), joined_text(support, ", ", share),
                             joined_text(provenance, ", ", share)));
}

void audit_scope(const Artifact& artifact, Findings& findings) {
  for (const Block& block : artifact.claims.blocks)
    if (is_id(block.id, "C") && is_supported(block)) judge_scope(artifact, block, findings);
}

}  // namespace

bool is_supported(const Block& claim) {
  return same_word(status_of(claim), "supported");
}

void audit_stated(const Artifact& artifact, const SafeRoot& root, Findings& findings) {
  audit_falsification(artifact, findings);
  audit_scope(artifact, findings);
  Support(artifact, findings).judge();
  audit_branches(artifact, findings);
  audit_sources(artifact, root, findings);
  audit_provenance(artifact, findings);
}

}  // namespace artifacts
