
#include <fmt/format.h>

#include "prose/directions.h"

namespace prose {

namespace {

const Words supported_words = {"supported", "supports", "support", "confirmed", "confirms",     "confirm",  "holds",
                               "proven",    "proves",   "proved",  "true",      "corroborated", "verified", "validated",
                               "hold",      "accepted", "accept",  "accepts",   "succeeds",     "borne"};
const Words refuted_words = {"wrong",     "fails",    "failed",       "refuted",    "refutes",
                             "refute",    "rejected", "rejects",      "disproved",  "disproves",
                             "falsified", "false",    "contradicted", "contradicts"};
const Words inconclusive_words = {"inconclusive", "undecided", "unresolved"};

/// Empty: the word is none.
std::string verdict_in(const std::vector<Token>& list, const Sentence& s, std::size_t at) {
  const Token& t = list[at];
  if (t.kind != Token::Kind::word) return "";
  const bool rate =
      at + 1 < s.end && (list[at + 1].folded.starts_with("positive") || list[at + 1].folded.starts_with("negative"));
  if (rate) return "";
  return supported_words.contains(t.folded)      ? "supported"
         : refuted_words.contains(t.folded)      ? "refuted"
         : inconclusive_words.contains(t.folded) ? "inconclusive"
                                                 : "";
}

}  // namespace

void find_verdicts(const std::vector<Token>& list, const Facts& facts, std::vector<Objection>& findings) {
  // Conditional sentences and questions state no verdict.
  static const Words modal = {"would", "could", "if", "may", "might", "must", "should", "will", "whether", "can"};
  for (const Sentence& s : sentences(list)) {
    std::vector<std::size_t> verdicts;
    std::size_t first_named = s.end;
    for (std::size_t i = s.begin; i < s.end; ++i) {
      if (!verdict_in(list, s, i).empty()) verdicts.push_back(i);
      if (first_named == s.end && named_by(list[i], facts)) first_named = i;
    }
    if (first_named == s.end) continue;
    for (std::size_t v = 0; v < verdicts.size(); ++v) {
      const std::size_t at = verdicts[v];
      // "Supports H1, refutes H2", or "H1 is supported and H2 is refuted".
      const bool leads = verdicts.front() < first_named;
      const std::size_t from = leads ? at + 1 : v == 0 ? s.begin : verdicts[v - 1] + 1;
      const std::size_t to = leads ? (v + 1 < verdicts.size() ? verdicts[v + 1] : s.end) : at;
      const int negation = negated(list, s, at);
      if (preceded(list, s, at, 6, modal)) continue;
      const std::string meant = verdict_in(list, s, at);
      bool any = false;
      for (std::size_t i = from; i < to; ++i) {
        const HypothesisFacts* h = named_by(list[i], facts);
        if (!h) continue;
        any = true;
        const bool agrees = !h->verdict.empty() && negation >= 0 && (h->verdict == meant) == (negation == 0);
        if (agrees) continue;
        findings.push_back({Kind::direction, list[at].offset, list[at].length,
                            h->verdict.empty()
                                ? fmt::format("speaks of a verdict on {}, which has none yet", h->id)
                                : fmt::format("is not the verdict on {}, which is {}", h->id, h->verdict),
                            fmt::format("write {{{{{}.verdict}}}}", h->id)});
        break;
      }
      // "neither supported nor refuted" refers to the hypotheses of the word before.
      if (any || leads || v == 0) continue;
      for (std::size_t i = s.begin; i < at; ++i)
        if (const HypothesisFacts* h = named_by(list[i], facts);
            h && (h->verdict.empty() || negation < 0 || (h->verdict == meant) != (negation == 0))) {
          findings.push_back(
              {Kind::direction, list[at].offset, list[at].length,
               fmt::format("is not the verdict on {}, which is {}", h->id, h->verdict.empty() ? "open" : h->verdict),
               fmt::format("write {{{{{}.verdict}}}}", h->id)});
          break;
        }
    }
  }
}

}  // namespace prose
