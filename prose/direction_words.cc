#include <algorithm>

#include "prose/directions.h"

namespace prose {

namespace {

/// What must be near a word that also has another meaning.
enum class Needs { nothing, than, link, as_or_subject, object };

struct Group {
  Sense sense;
  bool strong, transitive;
  Needs needs;
  std::string_view phrases;  ///< With a bar behind each.
};

struct Entry {
  std::vector<std::string_view> words;
  const Group* group;
};

using enum Sense;

constexpr Group phrase_groups[] = {
    {equal, false, false, Needs::nothing,
     "makes no difference|made no difference|no significant difference|no measurable difference|"
     "no detectable difference|no difference|no differences|no effect|no change|on par|≈|equal to|equally|"
     "identical|identically|equivalent|unchanged|unaffected|indistinguishable|comparable|similar|similarly|"},
    {worse, true, true, Needs::nothing,
     "outperformed by|beaten by|surpassed by|lags behind|lagged behind|dominated by|underperforms|"
     "underperform|underperformed|"},
    {less, false, true, Needs::nothing, "exceeded by|fraction of|<|≤|≪|undercuts|"},
    {different, false, false, Needs::nothing,
     "an effect|significant difference|different from|different than|different between|differs|differ|"
     "differed|affects|affected|significant|significantly|"},
    {better, false, false, Needs::nothing,
     "an edge|preferable|better|best|improves|improve|improved|improving|improvement|improvements|helps|"
     "helped|benefits|wins|won|"},
    {better, true, true, Needs::nothing,
     "ahead of|dominates|dominated|outperforms|outperform|outperformed|outperforming|beats|beat|outpaces|"
     "surpasses|surpassed|"},
    {less, false, false, Needs::nothing,
     "less of|went down|goes down|lower|lowest|lowers|lowered|lowering|smaller|smallest|shorter|shortest|"
     "cheaper|cheapest|lighter|fewest|reduces|reduce|reduced|reducing|reduction|reductions|decreases|decrease|"
     "decreased|decreasing|drops|drop|dropped|falls|fell|shrinks|shrank|shrunk|cuts|saves|saved|saving|"
     "savings|declines|declined|diminishes|diminished|"},
    {greater, false, false, Needs::nothing,
     "went up|goes up|higher|highest|greater|greatest|larger|largest|bigger|biggest|longer|longest|increases|"
     "increase|increased|increasing|rises|rise|rose|grows|grow|grew|growth|raises|raised|gains|gain|gained|"},
    {worse, false, true, Needs::object, "behind|"},
    {better, true, false, Needs::nothing,
     "speedier|swifter|speeds up|speed up|sped up|faster|fastest|quicker|quickest|speedup|speed-up|superior|"
     "winner|"},
    {greater, false, true, Needs::nothing, ">|≥|≫|exceeds|exceed|exceeded|"},
    {worse, true, false, Needs::nothing,
     "slows down|slow down|slowed down|slower|slowest|slowdown|slow-down|inferior|loser|"},
    {worse, false, false, Needs::nothing,
     "worse|worst|worsens|worsened|degrades|degraded|degradation|deteriorates|deteriorated|hurts|hurt|harms|"
     "harmed|loses|"},
    {less, false, false, Needs::than, "less|fewer|least|"},
    {less, false, true, Needs::object, "below|"},
    {greater, false, false, Needs::than, "more|most|"},
    {greater, false, true, Needs::object, "above|"},
    {equal, false, true, Needs::nothing, "equals|matches|matched|"},
    {equal, false, false, Needs::link, "equal|"},
    {equal, false, false, Needs::as_or_subject, "same|"},
};

/// Longer phrases first.
std::vector<Entry> all_entries() {
  std::vector<Entry> entries;
  for (const Group& group : phrase_groups) {
    entries.push_back({{}, &group});
    std::size_t begin = 0;
    for (std::size_t at = 0; at < group.phrases.size(); ++at) {
      if (group.phrases[at] != ' ' && group.phrases[at] != '|') continue;
      entries.back().words.push_back(group.phrases.substr(begin, at - begin));
      begin = at + 1;
      if (group.phrases[at] == '|' && begin < group.phrases.size()) entries.push_back({{}, &group});
    }
  }
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) { return a.words.size() > b.words.size(); });
  return entries;
}

bool subject(const Token& t, const Facts& facts) {
  return facts.subjects.contains(t.folded);
}

bool met(Needs needs, const std::vector<Token>& list, const Sentence& s, std::size_t at, const Facts& facts) {
  switch (needs) {
    case Needs::nothing:
      return true;
    case Needs::than:
      for (std::size_t i = at + 1; i < s.end; ++i)
        if (list[i].is("than")) return true;
      return at + 1 < s.end && subject(list[at + 1], facts);
    case Needs::link: {
      static const Words links = {"is",     "are",     "was",  "were",  "be",    "been",
                                  "remain", "remains", "stay", "stays", "not",   "statistically",
                                  "about",  "roughly", "and",  "seem",  "appear"};
      return at > s.begin && links.contains(list[at - 1].folded);
    }
    case Needs::as_or_subject:
      for (std::size_t i = at + 1; i < s.end && i <= at + 4; ++i)
        if (list[i].is("as") || list[i].is("for") || subject(list[i], facts)) return true;
      return at + 1 == s.end || list[at + 1].kind == Token::Kind::sign;
    case Needs::object:
      return at + 1 < s.end && list[at + 1].kind != Token::Kind::sign;
  }
  return false;
}

}  // namespace

std::vector<DirectionWord> direction_words(const std::vector<Token>& list, const Sentence& s, const Facts& facts) {
  static const std::vector<Entry> entries = all_entries();
  std::vector<DirectionWord> found;
  for (std::size_t at = s.begin; at < s.end;) {
    std::size_t length = 0;
    for (const Entry& entry : entries) {
      std::size_t n = 0;
      while (n < entry.words.size() && at + n < s.end &&
             (list[at + n].kind == Token::Kind::word || list[at + n].kind == Token::Kind::sign) &&
             list[at + n].is(entry.words[n]))
        ++n;
      if (n < entry.words.size() || !met(entry.group->needs, list, s, at, facts)) continue;
      // "accuracy drop" names a metric.
      if (n == 1 && subject(list[at], facts)) break;
      found.push_back({at, n, entry.group->sense, entry.group->strong, entry.group->transitive});
      length = n;
      break;
    }
    // "as fast as"
    if (length == 0 && at + 2 < s.end && list[at].is("as") && list[at + 2].is("as") &&
        list[at + 1].kind == Token::Kind::word && !list[at + 1].is("far") && !list[at + 1].is("well") &&
        !list[at + 1].is("long") && !list[at + 1].is("soon")) {
      found.push_back({at, 3, Sense::equal, false, false});
      length = 3;
    }
    at += length ? length : 1;
  }
  // "Significantly slower" counts once; the "smallest effect" of a hypothesis has no direction.
  std::erase_if(found, [&](const DirectionWord& word) {
    const Token& t = list[word.at];
    if (t.is("smallest") && word.at + 1 < s.end) return list[word.at + 1].is("effect") || list[word.at + 1].is("size");
    return t.is("significantly") &&
           std::ranges::any_of(found, [&](const DirectionWord& next) { return next.at == word.at + 1; });
  });
  return found;
}

bool negates(const std::vector<Token>& list, std::size_t at) {
  static const Words words = {"not",      "no",       "never",    "neither",  "nor",     "none",   "nothing", "hardly",
                              "scarcely", "barely",   "cannot",   "without",  "fails",   "failed", "fail",    "nowhere",
                              "nobody",   "doubt",    "doubts",   "doubted",  "deny",    "denies", "denied",  "dispute",
                              "disputes", "disputed", "unlikely", "contrary", "anything"};
  static const Words affirm = {"only", "just", "merely", "simply", "least"};
  const Token& t = list[at];
  if (t.kind != Token::Kind::word || (!words.contains(t.folded) && !t.folded.ends_with("n't"))) return false;
  return at + 1 >= list.size() || !affirm.contains(list[at + 1].folded);
}

}  // namespace prose
