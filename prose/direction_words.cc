#include "prose/direction_words.h"

#include <algorithm>
#include <array>
#include <set>

namespace prose {

namespace {

/// What must be near a word that also has another meaning.
enum class Needs { nothing, than, link, as_or_subject, object };

struct Entry {
  std::array<std::string_view, 3> words;
  Sense sense;
  bool strong = false, transitive = false;
  Needs needs = Needs::nothing;
};

using enum Sense;

// Longer phrases first.
constexpr Entry entries[] = {
    {{"makes", "no", "difference"}, equal},
    {{"made", "no", "difference"}, equal},
    {{"no", "significant", "difference"}, equal},
    {{"no", "measurable", "difference"}, equal},
    {{"no", "detectable", "difference"}, equal},
    {{"no", "difference"}, equal},
    {{"no", "differences"}, equal},
    {{"no", "effect"}, equal},
    {{"no", "change"}, equal},
    {{"on", "par"}, equal},
    {{"outperformed", "by"}, worse, true, true},
    {{"beaten", "by"}, worse, true, true},
    {{"surpassed", "by"}, worse, true, true},
    {{"exceeded", "by"}, less, false, true},
    {{"an", "effect"}, different},
    {{"an", "edge"}, better},
    {{"ahead", "of"}, better, true, true},
    {{"fraction", "of"}, less, false, true},
    {{"less", "of"}, less},
    {{"went", "down"}, less},
    {{"goes", "down"}, less},
    {{"went", "up"}, greater},
    {{"goes", "up"}, greater},
    {{"lags", "behind"}, worse, true, true},
    {{"lagged", "behind"}, worse, true, true},
    {{"behind"}, worse, false, true, Needs::object},
    {{"speedier"}, better, true},
    {{"swifter"}, better, true},
    {{"dominates"}, better, true, true},
    {{"dominated", "by"}, worse, true, true},
    {{"dominated"}, better, true, true},
    {{"preferable"}, better},
    {{"<"}, less, false, true},
    {{">"}, greater, false, true},
    {{"≤"}, less, false, true},
    {{"≥"}, greater, false, true},
    {{"≪"}, less, false, true},
    {{"≫"}, greater, false, true},
    {{"≈"}, equal},
    {{"speeds", "up"}, better, true},
    {{"speed", "up"}, better, true},
    {{"sped", "up"}, better, true},
    {{"slows", "down"}, worse, true},
    {{"slow", "down"}, worse, true},
    {{"slowed", "down"}, worse, true},
    {{"significant", "difference"}, different},
    {{"different", "from"}, different},
    {{"different", "than"}, different},
    {{"different", "between"}, different},
    {{"equal", "to"}, equal},
    {{"faster"}, better, true},
    {{"fastest"}, better, true},
    {{"quicker"}, better, true},
    {{"quickest"}, better, true},
    {{"slower"}, worse, true},
    {{"slowest"}, worse, true},
    {{"outperforms"}, better, true, true},
    {{"outperform"}, better, true, true},
    {{"outperformed"}, better, true, true},
    {{"outperforming"}, better, true, true},
    {{"underperforms"}, worse, true, true},
    {{"underperform"}, worse, true, true},
    {{"underperformed"}, worse, true, true},
    {{"beats"}, better, true, true},
    {{"beat"}, better, true, true},
    {{"outpaces"}, better, true, true},
    {{"surpasses"}, better, true, true},
    {{"surpassed"}, better, true, true},
    {{"speedup"}, better, true},
    {{"speed-up"}, better, true},
    {{"slowdown"}, worse, true},
    {{"slow-down"}, worse, true},
    {{"superior"}, better, true},
    {{"inferior"}, worse, true},
    {{"winner"}, better, true},
    {{"loser"}, worse, true},
    {{"better"}, better},
    {{"best"}, better},
    {{"improves"}, better},
    {{"improve"}, better},
    {{"improved"}, better},
    {{"improving"}, better},
    {{"improvement"}, better},
    {{"improvements"}, better},
    {{"helps"}, better},
    {{"helped"}, better},
    {{"benefits"}, better},
    {{"wins"}, better},
    {{"won"}, better},
    {{"worse"}, worse},
    {{"worst"}, worse},
    {{"worsens"}, worse},
    {{"worsened"}, worse},
    {{"degrades"}, worse},
    {{"degraded"}, worse},
    {{"degradation"}, worse},
    {{"deteriorates"}, worse},
    {{"deteriorated"}, worse},
    {{"hurts"}, worse},
    {{"hurt"}, worse},
    {{"harms"}, worse},
    {{"harmed"}, worse},
    {{"loses"}, worse},
    {{"lower"}, less},
    {{"lowest"}, less},
    {{"lowers"}, less},
    {{"lowered"}, less},
    {{"lowering"}, less},
    {{"smaller"}, less},
    {{"smallest"}, less},
    {{"shorter"}, less},
    {{"shortest"}, less},
    {{"cheaper"}, less},
    {{"cheapest"}, less},
    {{"lighter"}, less},
    {{"less"}, less, false, false, Needs::than},
    {{"fewer"}, less, false, false, Needs::than},
    {{"fewest"}, less},
    {{"least"}, less, false, false, Needs::than},
    {{"reduces"}, less},
    {{"reduce"}, less},
    {{"reduced"}, less},
    {{"reducing"}, less},
    {{"reduction"}, less},
    {{"reductions"}, less},
    {{"decreases"}, less},
    {{"decrease"}, less},
    {{"decreased"}, less},
    {{"decreasing"}, less},
    {{"drops"}, less},
    {{"drop"}, less},
    {{"dropped"}, less},
    {{"falls"}, less},
    {{"fell"}, less},
    {{"shrinks"}, less},
    {{"shrank"}, less},
    {{"shrunk"}, less},
    {{"cuts"}, less},
    {{"saves"}, less},
    {{"saved"}, less},
    {{"saving"}, less},
    {{"savings"}, less},
    {{"declines"}, less},
    {{"declined"}, less},
    {{"diminishes"}, less},
    {{"diminished"}, less},
    {{"below"}, less, false, true, Needs::object},
    {{"undercuts"}, less, false, true},
    {{"higher"}, greater},
    {{"highest"}, greater},
    {{"greater"}, greater},
    {{"greatest"}, greater},
    {{"larger"}, greater},
    {{"largest"}, greater},
    {{"bigger"}, greater},
    {{"biggest"}, greater},
    {{"longer"}, greater},
    {{"longest"}, greater},
    {{"more"}, greater, false, false, Needs::than},
    {{"most"}, greater, false, false, Needs::than},
    {{"increases"}, greater},
    {{"increase"}, greater},
    {{"increased"}, greater},
    {{"increasing"}, greater},
    {{"rises"}, greater},
    {{"rise"}, greater},
    {{"rose"}, greater},
    {{"grows"}, greater},
    {{"grow"}, greater},
    {{"grew"}, greater},
    {{"growth"}, greater},
    {{"raises"}, greater},
    {{"raised"}, greater},
    {{"gains"}, greater},
    {{"gain"}, greater},
    {{"gained"}, greater},
    {{"exceeds"}, greater, false, true},
    {{"exceed"}, greater, false, true},
    {{"exceeded"}, greater, false, true},
    {{"above"}, greater, false, true, Needs::object},
    {{"equals"}, equal, false, true},
    {{"equal"}, equal, false, false, Needs::link},
    {{"equally"}, equal},
    {{"identical"}, equal},
    {{"identically"}, equal},
    {{"equivalent"}, equal},
    {{"unchanged"}, equal},
    {{"unaffected"}, equal},
    {{"indistinguishable"}, equal},
    {{"comparable"}, equal},
    {{"similar"}, equal},
    {{"similarly"}, equal},
    {{"matches"}, equal, false, true},
    {{"matched"}, equal, false, true},
    {{"same"}, equal, false, false, Needs::as_or_subject},
    {{"differs"}, different},
    {{"differ"}, different},
    {{"differed"}, different},
    {{"affects"}, different},
    {{"affected"}, different},
    {{"significant"}, different},
    {{"significantly"}, different},
};

bool subject(const Token& t, const Facts& facts) {
  return facts.subjects.contains(t.folded);
}

bool met(const Entry& entry, const std::vector<Token>& list, const Sentence& s, std::size_t at, const Facts& facts) {
  switch (entry.needs) {
    case Needs::nothing:
      return true;
    case Needs::than:
      for (std::size_t i = at + 1; i < s.end; ++i)
        if (list[i].is("than")) return true;
      return at + 1 < s.end && subject(list[at + 1], facts);
    case Needs::link: {
      static const std::set<std::string, std::less<>> links = {
          "is",    "are", "was",           "were",  "be",      "been", "remain", "remains", "stay",
          "stays", "not", "statistically", "about", "roughly", "and",  "seem",   "appear"};
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
  std::vector<DirectionWord> found;
  for (std::size_t at = s.begin; at < s.end;) {
    std::size_t length = 0;
    for (const Entry& entry : entries) {
      std::size_t n = 0;
      while (n < entry.words.size() && !entry.words[n].empty() && at + n < s.end &&
             (list[at + n].kind == Token::Kind::word || list[at + n].kind == Token::Kind::sign) &&
             list[at + n].is(entry.words[n]))
        ++n;
      if (n == 0 || (n < entry.words.size() && !entry.words[n].empty()) || !met(entry, list, s, at, facts)) continue;
      // "accuracy drop" names a metric.
      if (n == 1 && subject(list[at], facts)) break;
      found.push_back({at, n, entry.sense, entry.strong, entry.transitive});
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
           std::any_of(found.begin(), found.end(), [&](const DirectionWord& next) { return next.at == word.at + 1; });
  });
  return found;
}

bool negates(const std::vector<Token>& list, std::size_t at) {
  static const std::set<std::string, std::less<>> words = {
      "not",    "no",      "never",  "neither", "nor",      "none",     "nothing",  "hardly",   "scarcely", "barely",
      "cannot", "without", "fails",  "failed",  "fail",     "nowhere",  "nobody",   "doubt",    "doubts",   "doubted",
      "deny",   "denies",  "denied", "dispute", "disputes", "disputed", "unlikely", "contrary", "anything"};
  static const std::set<std::string, std::less<>> affirm = {"only", "just", "merely", "simply", "least"};
  const Token& t = list[at];
  if (t.kind != Token::Kind::word || (!words.contains(t.folded) && !t.folded.ends_with("n't"))) return false;
  return at + 1 >= list.size() || !affirm.contains(list[at + 1].folded);
}

}  // namespace prose
