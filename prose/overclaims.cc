#include "prose/overclaims.h"

#include <algorithm>

#include <fmt/format.h>

#include "prose/directions.h"

namespace prose {

namespace {

/// The singular of a plain English plural.
std::string singular(const std::string& word) {
  return word.size() > 3 && word.ends_with('s') && !word.ends_with("ss") ? word.substr(0, word.size() - 1) : word;
}

/// Places that a study does not sample.
const Words outside = {"system",      "machine",      "computer",     "hardware", "platform",  "workload",
                       "dataset",     "app",          "user",         "domain",   "scenario",  "language",
                       "program",     "project",      "compiler",     "cpu",      "gpu",       "network",
                       "task",        "problem",      "architecture", "model",    "situation", "application",
                       "environment", "circumstance", "processor",    "world"};
/// What `over: every` tests one by one.
const Words settings = {"setting", "condition", "combination", "configuration", "case", "level", "input", "cell"};
const Words all = {"every", "all", "any", "each"};

struct Phrase {
  std::vector<std::string_view> words;
  const char* why;
  const char* todo;
};

constexpr const char* beyond = "claims more than the settings that were studied";
constexpr const char* stay = "say where it was studied, as in `under the settings of the study`";
constexpr const char* proof = "claims a proof, which no verdict is";
constexpr const char* shows = "say what the verdict is: {{{{{0}.verdict}}}}";
constexpr const char* cause = "claims a cause, which the test does not look for";
constexpr const char* effect = "say which arms differ, as in `the effect of … on … (H1)`";

const std::vector<Phrase>& phrases() {
  static const std::vector<Phrase> list = {{{"always"}, beyond, stay},
                                           {{"universally"}, beyond, stay},
                                           {{"everywhere"}, beyond, stay},
                                           {{"invariably"}, beyond, stay},
                                           {{"generally"}, beyond, stay},
                                           {{"in", "general"}, beyond, stay},
                                           {{"in", "production"}, beyond, stay},
                                           {{"in", "practice"}, beyond, stay},
                                           {{"real", "world"}, beyond, stay},
                                           {{"real-world"}, beyond, stay},
                                           {{"regardless", "of"}, beyond, stay},
                                           {{"irrespective", "of"}, beyond, stay},
                                           {{"no", "matter"}, beyond, stay},
                                           {{"without", "exception"}, beyond, stay},
                                           {{"prove"}, proof, shows},
                                           {{"proves"}, proof, shows},
                                           {{"proved"}, proof, shows},
                                           {{"proven"}, proof, shows},
                                           {{"proof"}, proof, shows},
                                           {{"proofs"}, proof, shows},
                                           {{"proving"}, proof, shows},
                                           {{"conclusively"}, proof, shows},
                                           {{"undeniably"}, proof, shows},
                                           {{"guarantees"}, proof, shows},
                                           {{"guaranteed"}, proof, shows},
                                           {{"cause"}, cause, effect},
                                           {{"causes"}, cause, effect},
                                           {{"caused"}, cause, effect},
                                           {{"causing"}, cause, effect},
                                           {{"causal"}, cause, effect},
                                           {{"causally"}, cause, effect},
                                           {{"because", "of"}, cause, effect},
                                           {{"due", "to"}, cause, effect},
                                           {{"owing", "to"}, cause, effect},
                                           {{"thanks", "to"}, cause, effect},
                                           {{"attributable", "to"}, cause, effect},
                                           {{"responsible", "for"}, cause, effect}};
  return list;
}

class ClaimReader {
 public:
  ClaimReader(const std::vector<Token>& list, const Facts& facts, const HypothesisFacts* of,
              std::vector<Objection>& findings)
      : list_(list), facts_(facts), of_(of), findings_(findings) {}

  void judge() {
    const std::vector<Sentence> all_sentences = sentences(list_);
    for (std::size_t i = 0; i < all_sentences.size(); ++i) {
      const Sentence& s = all_sentences[i];
      const HypothesisFacts* own = of_ ? of_ : named_in(s);
      // "It holds on every system." after a sentence that names a hypothesis.
      if (!own && i > 0 && refers_back(s)) own = named_in(all_sentences[i - 1]);
      if (!own && !direction_words(list_, s, facts_).empty() && about_metric(s)) own = any();
      if (own) judge(s, *own);
    }
  }

 private:
  const HypothesisFacts* named_in(const Sentence& s) const {
    for (std::size_t i = s.begin; i < s.end; ++i)
      if (const HypothesisFacts* h = named_by(list_[i], facts_)) return h;
    return nullptr;
  }
  const HypothesisFacts* any() const { return facts_.hypotheses.empty() ? nullptr : &facts_.hypotheses.front(); }

  bool refers_back(const Sentence& s) const {
    static const Words pronouns = {"it", "this", "that", "they", "these", "so", "same", "result", "results", "holds"};
    return std::any_of(list_.begin() + static_cast<std::ptrdiff_t>(s.begin),
                       list_.begin() + static_cast<std::ptrdiff_t>(s.end),
                       [](const Token& t) { return pronouns.contains(t.folded); });
  }

  bool about_metric(const Sentence& s) const {
    for (std::size_t i = s.begin; i < s.end; ++i)
      if (speaks_of(list_[i], facts_.subjects)) return true;
    return false;
  }

  bool in(const Sentence& s, const Words& words) const {
    for (std::size_t i = s.begin; i < s.end; ++i)
      if (list_[i].kind == Token::Kind::word && words.contains(list_[i].folded)) return true;
    return false;
  }

  /// Whether the sentence denies the words at `at`, or says that they are not known.
  bool is_hedged(const Sentence& s, std::size_t at, std::size_t end) const {
    static const Words doubts = {"whether",  "unknown", "unclear", "untested", "unmeasured", "beyond", "outside",
                                 "question", "may",     "might",   "could",    "if",         "open",   "would"};
    static const Words deniers = {"not", "nothing", "neither", "nor", "cannot", "nobody", "none", "never"};
    static const Words emphasis = {"only", "just", "merely", "doubt", "doubted", "simply", "surprisingly"};
    for (std::size_t i = s.begin; i < s.end; ++i) {
      const Token& t = list_[i];
      if (t.kind != Token::Kind::word || (i >= at && i < end)) continue;
      if (doubts.contains(t.folded)) return true;
      if (!deniers.contains(t.folded) && !t.folded.ends_with("n't") && !t.is("no")) continue;
      const bool affirms = (i + 1 < s.end && emphasis.contains(list_[i + 1].folded)) ||
                           (i + 2 < s.end && emphasis.contains(list_[i + 2].folded));
      const bool apart = std::any_of(list_.begin() + static_cast<std::ptrdiff_t>(std::min(i, end)),
                                     list_.begin() + static_cast<std::ptrdiff_t>(std::max(i, at)),
                                     [](const Token& one) { return one.is(",") || one.is("but") || one.is("and"); });
      if (!affirms && !apart) return true;
    }
    return false;
  }

  /// A recorded reason: of a failed run, or of a verdict that there is none.
  bool explains_failure(const Sentence& s) const {
    static const Words words = {"failed",   "fail",      "failure",      "failures", "timed",  "time-out", "time-outs",
                                "excluded", "withdrawn", "inconclusive", "stopped",  "lost",   "ended",    "amended",
                                "refused",  "crashed",   "paused",       "missing",  "invalid"};
    return in(s, words);
  }

  void add(std::size_t from, std::size_t to, const char* why, const std::string& todo) {
    const Token &first = list_[from], &last = list_[to - 1];
    findings_.push_back({Kind::claim, first.offset, last.offset + last.length - first.offset, why, todo});
  }

  void judge(const Sentence& s, const HypothesisFacts& h) {
    for (std::size_t at = s.begin; at < s.end; ++at) {
      if (list_[at].kind != Token::Kind::word) continue;
      for (const Phrase& phrase : phrases()) {
        std::size_t n = 0;
        while (n < phrase.words.size() && at + n < s.end && list_[at + n].is(phrase.words[n])) ++n;
        if (n < phrase.words.size() || is_hedged(s, at, at + n)) continue;
        if (phrase.why == cause && explains_failure(s)) continue;
        add(at, at + n, phrase.why, phrase.todo == shows ? fmt::format(shows, h.id) : phrase.todo);
        break;
      }
      if (all.contains(list_[at].folded)) judge_all(s, at, h);
      if (!h.randomised && list_[at].is("effect") && at + 1 < s.end && list_[at + 1].is("of") && at + 2 < s.end &&
          list_[at + 2].kind != Token::Kind::numeral && !is_hedged(s, at, at + 2))
        add(at, at + 2, "claims an effect of something, and the runs were not in random order", stay);
    }
  }

  /// "every modern system", "all of the settings".
  void judge_all(const Sentence& s, std::size_t at, const HypothesisFacts& h) {
    constexpr std::size_t reach = 4;
    for (std::size_t i = at + 1; i < std::min(s.end, at + reach); ++i) {
      const Token& t = list_[i];
      if (t.kind == Token::Kind::sign || t.is("run") || t.is("runs")) return;
      const std::string noun = singular(t.folded);
      const bool factor = is_factor(t.text) || is_factor(noun);
      if (!factor && !outside.contains(noun) && !settings.contains(noun)) continue;
      if ((list_[at].is("any") && noun == "case") || is_hedged(s, at, i + 1)) return;
      if ((factor || settings.contains(noun)) && h.every) return;
      if (factor || settings.contains(noun))
        add(at, i + 1, "claims what was not tested setting by setting",
            "say `on average over …`, or test it with `over: every`");
      else
        add(at, i + 1, beyond, stay);
      return;
    }
  }

  bool is_factor(const std::string& name) const {
    return std::ranges::any_of(facts_.constants, [&](const Constant& one) {
      return one.names.size() == 1 && one.names.front() == name && one.what.starts_with("a level of");
    });
  }

  const std::vector<Token>& list_;
  const Facts& facts_;
  const HypothesisFacts* of_;
  std::vector<Objection>& findings_;
};

}  // namespace

void find_overclaims(const std::vector<Token>& list, const Facts& facts, const HypothesisFacts* of,
                     std::vector<Objection>& findings) {
  ClaimReader(list, facts, of, findings).judge();
}

}  // namespace prose
