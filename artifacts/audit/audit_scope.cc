#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "artifacts/audit/audit_stated.h"
#include "artifacts/read/references.h"
#include "artifacts/text/english.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

using Words = std::vector<std::string>;

template <std::size_t N>
bool among(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

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

bool begins_with_any(std::string_view word, std::span<const std::string_view> starts) {
  return std::ranges::any_of(starts, [&](std::string_view start) { return word.starts_with(start); });
}

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
    if (among(absolute, w)) return 1;
    if (!formal_ && (w == "proves" || w == "proven" || w == "prove")) return 1;
    if ((w == "regardless" || w == "irrespective") && next == "of") return 2;
    if (w == "no" && next == "matter") return 2;
    if (w == "without" && (next == "exception" || next == "exceptions" || next == "limit" || next == "limits"))
      return 2;
    if (w == "best" && next == "possible") return 2;
    if (w == "no" && (next == "other" || next == "better")) return 2;
    if (w == "never" && begins_with_any(next, harms)) return 2;
    if (among(wholly, w) && begins_with_any(next, cures)) return 2;
    if (!among(quantifiers, w)) return 0;
    if (among(everything, next) && !bounded(i)) return 2;
    const bool of = i > 0 && word(i - 1) == "of" && w != "all";
    const bool opens =
        i == 0 || of || among(openers, word(i - 1)) || word(i - 1) == "nearly" || word(i - 1) == "virtually";
    return opens && !bounded(i) ? 2 : 0;
  }

  /// Whether the following words give a number, or limit it to what was measured.
  bool bounded(std::size_t i) const {
    if (word(i + 1) == "of") return true;
    for (std::size_t k = i + 1; k <= i + 4 && k < words_.size() && words_[k] != ","; ++k)
      if (among(bounds, words_[k]) || is_number(words_[k])) return true;
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

}  // namespace

void audit_scope(const Artifact& artifact, Findings& findings) {
  for (const Block& block : artifact.claims.blocks)
    if (is_id(block.id, "C") && is_supported(block)) judge_scope(artifact, block, findings);
}

}  // namespace artifacts
