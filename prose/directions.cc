#include "prose/directions.h"

#include <algorithm>

#include <fmt/format.h>

#include "prose/characters.h"

namespace prose {

bool speaks_of(const std::string& word, const std::string& name) {
  if (word == name || word == name + "'s") return true;
  constexpr std::size_t shortest = 4, longest_ending = 6;
  if (name.size() < shortest || !word.starts_with(name) || word.size() > name.size() + longest_ending) return false;
  static const Words endings = {"s",  "'s",  "sort", "sort's", "sorting", "ed",
                                "er", "ing", "net",  "model",  "tree",    "trees"};
  return endings.contains(word.substr(name.size()));
}

bool speaks_of(const Token& t, const std::set<std::string>& names) {
  if (t.kind == Token::Kind::numeral) return names.contains(t.text);
  if (t.kind != Token::Kind::word && t.kind != Token::Kind::identifier && t.kind != Token::Kind::name) return false;
  return std::ranges::any_of(names, [&](const std::string& name) {
    const std::string wanted = lowered(name);
    return speaks_of(t.folded, wanted) ||
           (t.parts.size() > 1 &&
            std::ranges::any_of(t.parts, [&](const std::string& part) { return speaks_of(part, wanted); }));
  });
}

namespace {

enum class Side { none, treatment, control };

Side side_of(const Token& t, const HypothesisFacts& h) {
  if (speaks_of(t, h.treatment) || t.is("treatment")) return Side::treatment;
  if (speaks_of(t, h.control) || t.is("control") || t.is("baseline")) return Side::control;
  return Side::none;
}

bool compares(const std::vector<Token>& list, const Sentence& s, std::size_t at) {
  static const Words always = {"than", "versus", "vs", "against", "unlike", "over", "from"};
  static const Words with_to = {"compared",   "relative", "equal",    "identical", "similar", "equivalent",
                                "comparable", "superior", "inferior", "par",       "next"};
  const Token& t = list[at];
  if (always.contains(t.folded)) return true;
  if (at == s.begin) return false;
  if (t.is("to") || t.is("with")) return with_to.contains(list[at - 1].folded);
  return t.is("as") && !list[at - 1].is("such") && !list[at - 1].is("well");
}

}  // namespace

int orientation(const std::vector<Token>& list, const Sentence& s, const DirectionWord& word,
                const HypothesisFacts& h) {
  constexpr std::size_t reach = 6;
  bool subject[3] = {}, object[3] = {};
  for (std::size_t m = s.begin; m < s.end; ++m) {
    const Side side = side_of(list[m], h);
    if (side == Side::none) continue;
    bool compared = false;
    for (std::size_t j = m; j-- > s.begin && m - j <= reach;) {
      const Side between = side_of(list[j], h);
      if (list[j].is(",") || (between != Side::none && between != side)) break;
      if (compares(list, s, j) || (word.transitive && j + 1 == word.at + word.words)) {
        compared = true;
        break;
      }
    }
    (compared ? object : subject)[static_cast<std::size_t>(side)] = true;
  }
  if (subject[1] != subject[2]) return subject[1] ? 1 : -1;
  if (subject[1]) return 0;
  if (object[1] != object[2]) return object[2] ? 1 : -1;
  return object[1] ? 0 : 1;
}

namespace {

/// Whether the sentence is about what the study measured.
bool about_results(const std::vector<Token>& list, const Sentence& s, const Facts& facts, bool anywhere) {
  static const Words arms = {"treatment", "control", "baseline", "arm",    "arms",   "performance",
                             "runtime",   "effect",  "contrast", "metric", "metrics"};
  static const Words pronouns = {"it",   "they", "this", "these", "that",  "which",  "former",  "latter",
                                 "both", "one",  "ones", "its",   "their", "result", "results", "difference"};
  for (std::size_t i = s.begin; i < s.end; ++i)
    if (speaks_of(list[i], facts.subjects) || arms.contains(list[i].folded) || named_by(list[i], facts) ||
        (anywhere && pronouns.contains(list[i].folded)))
      return true;
  return false;
}

bool licensed(const HypothesisFacts& h, Sense sense, int side, bool negation) {
  const Licence& l = h.licence;
  if (sense == Sense::equal) return negation ? l.different : l.equal;
  if (sense == Sense::different) return negation ? l.equal : l.different;
  int sign = sense == Sense::less                            ? -1
             : sense == Sense::greater                       ? 1
             : (sense == Sense::better) == h.lower_is_better ? -1
                                                             : 1;
  sign *= side;
  if (negation) return sign < 0 ? l.not_less : l.not_greater;
  return sign < 0 ? l.less : l.greater;
}

struct Judge {
  const std::vector<Token>& list;
  const Facts& facts;
  std::vector<Objection>& findings;

  void add(const Token& at, std::string why, std::string todo) {
    findings.push_back({Kind::direction, at.offset, at.length, std::move(why), std::move(todo)});
  }

  /// False if the sentence is about something that the hypothesis does not test.
  bool same_subject(const Sentence& s, const HypothesisFacts& h) {
    for (std::size_t i = s.begin; i < s.end; ++i) {
      const bool measured = (list[i].kind == Token::Kind::name || list[i].kind == Token::Kind::identifier ||
                             list[i].kind == Token::Kind::word) &&
                            facts.metrics.contains(list[i].text);
      if (measured && list[i].text != h.metric)
        return add(list[i], fmt::format("is not what {} is about", h.id),
                   fmt::format("{} compares `{}`", h.id, h.metric)),
               false;
      if (speaks_of(list[i], h.foreign) && side_of(list[i], h) == Side::none)
        return add(list[i], fmt::format("is not compared by {}", h.id), "name the hypothesis that compares it"), false;
    }
    return true;
  }

  void judge(const Sentence& s, const DirectionWord& word, const HypothesisFacts& h) {
    static const Words open = {"whether"};
    if (preceded(list, s, word.at, 10, open)) return;
    Token whole = list[word.at];
    const Token& last = list[word.at + word.words - 1];
    whole.length = last.offset + last.length - whole.offset;
    const int negation = negated(list, s, word.at);
    const bool sided = word.sense != Sense::equal && word.sense != Sense::different;
    const int side = sided ? orientation(list, s, word, h) : 1;
    if (negation < 0 || side == 0)
      return add(whole, "claims a direction that cannot be read",
                 "write it plainly, as in `time_ms is lower under treatment than under control (H1)`");
    if (h.verdict.empty())
      return add(whole, fmt::format("claims a direction before there is a verdict on {}", h.id),
                 "leave it to the write-up");
    if (!licensed(h, word.sense, side, negation > 0))
      add(whole, fmt::format("claims a direction that {} does not show (verdict: {})", h.id, h.verdict),
          fmt::format("say what it shows: {{{{{0}.verdict}}}}, {{{{{0}.effect}}}}, {{{{{0}.interval}}}}", h.id));
  }

  void judge(const Sentence& s, bool anywhere) {
    const std::vector<DirectionWord> words = direction_words(list, s, facts);
    const bool strong = std::ranges::any_of(words, [](const DirectionWord& w) { return w.strong; });
    if (words.empty() || (!strong && !about_results(list, s, facts, anywhere))) return;
    std::vector<const HypothesisFacts*> named;
    for (std::size_t i = s.begin; i < s.end; ++i)
      if (const HypothesisFacts* h = named_by(list[i], facts); h && std::ranges::find(named, h) == named.end())
        named.push_back(h);
    const Token& first = list[words.front().at];
    if (named.empty())
      return add(first, "claims a direction, and its sentence names no hypothesis",
                 "name the one that it rests on, as in `… (H1)`, or leave the direction out");
    if (named.size() > 1)
      return add(first, "claims a direction of several hypotheses at once", "one sentence for each");
    if (!same_subject(s, *named.front())) return;
    for (const DirectionWord& word : words) judge(s, word, *named.front());
  }
};

}  // namespace

const HypothesisFacts* named_by(const Token& t, const Facts& facts) {
  if (t.kind == Token::Kind::reference) return facts.hypothesis(t.text.substr(0, t.text.find('.')));
  if (t.kind == Token::Kind::sign || t.kind == Token::Kind::code || t.kind == Token::Kind::url ||
      t.kind == Token::Kind::citation)
    return nullptr;
  if (const HypothesisFacts* h = facts.hypothesis(t.text)) return h;
  return t.text.ends_with("'s") ? facts.hypothesis(t.text.substr(0, t.text.size() - 2)) : nullptr;
}

bool preceded(const std::vector<Token>& list, const Sentence& s, std::size_t at, std::size_t most, const Words& words) {
  for (std::size_t i = at; i > s.begin && at - i < most;) {
    if (list[--i].is(",") || list[i].is("but")) return false;
    if (list[i].kind == Token::Kind::word && words.contains(list[i].folded)) return true;
  }
  return false;
}

int negated(const std::vector<Token>& list, const Sentence& s, std::size_t at) {
  // Words that may be between a negation and what it denies. After any other word it is not clear what is denied.
  static const Words verbs = {"be",  "been", "being", "is",     "are",     "was",   "were",  "do",     "does",
                              "did", "seem", "seems", "appear", "appears", "found", "shown", "become", "get"};
  static const Words others = {"to",         "any",        "at",     "all",           "the",
                               "a",          "an",         "much",   "significantly", "statistically",
                               "measurably", "noticeably", "clearly"};
  constexpr std::size_t reach = 7;
  int count = 0;
  bool pair = false, close = true;
  for (std::size_t i = at; i > s.begin && at - i < reach;) {
    const Token& t = list[--i];
    if (t.is(",") || t.is("but") || t.is("because") || t.is("since")) break;
    const bool correlative = t.is("nor") || t.is("neither");
    if (negates(list, i)) {
      if (!close && !pair) return -1;
      if (!correlative || !pair) ++count;
      pair = pair || correlative;
    } else if (!verbs.contains(t.folded) && !others.contains(t.folded) && t.kind != Token::Kind::identifier &&
               t.kind != Token::Kind::name) {
      close = false;
    }
  }
  return count > 1 ? -1 : count;
}

void find_directions(const std::vector<Token>& list, const Facts& facts, std::vector<Objection>& findings) {
  Judge judge{list, facts, findings};
  const bool anywhere =
      std::ranges::any_of(list, [&](const Token& t) { return speaks_of(t, facts.subjects) || named_by(t, facts); });
  for (const Sentence& s : sentences(list)) judge.judge(s, anywhere);
}

}  // namespace prose
