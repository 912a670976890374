#include <algorithm>
#include <charconv>

#include "prose/characters.h"
#include "prose/numerals.h"

namespace prose {

namespace {

const std::vector<std::string> small_numbers = {"one",   "two",   "three", "four", "five",   "six",
                                                "seven", "eight", "nine",  "ten",  "eleven", "twelve"};
const Words qualities = {"own", "new", "further", "other", "separate", "distinct", "such", "testable"};
const Words things = {"hypothesis", "hypotheses", "proposal", "proposals"};
const Words verbs = {"propose", "proposes", "proposed", "proposing"};
const Words helpers = {"is", "are", "was", "were", "have", "has", "been", "had", "being"};

/// The whole number that a token is; 0 if it is none.
int whole_number(const Token& t) {
  if (t.kind == Token::Kind::word) {
    const auto found = std::ranges::find(small_numbers, t.folded);
    return found == small_numbers.end() ? 0 : static_cast<int>(found - small_numbers.begin()) + 1;
  }
  int value = 0;
  const auto [end, error] = std::from_chars(t.number.data(), t.number.data() + t.number.size(), value);
  const bool whole = error == std::errc() && end == t.number.data() + t.number.size() && t.suffix.empty();
  return whole && t.kind == Token::Kind::numeral ? value : 0;
}

/// "I proposed only three": nothing but such words stands between the verb and the number.
bool verb_before(const std::vector<Token>& list, std::size_t i) {
  static const Words between = {"the", "these", "those", "only", "just", "all", "exactly"};
  while (i > 0 && between.contains(list[i - 1].folded)) --i;
  return i > 0 && verbs.contains(list[i - 1].folded);
}

/// "… hypotheses were proposed"
bool verb_after(const std::vector<Token>& list, std::size_t noun) {
  std::size_t at = noun + 1;
  while (at < list.size() && helpers.contains(list[at].folded)) ++at;
  return at > noun + 1 && at < list.size() && list[at].is("proposed");
}

}  // namespace

bool counts_proposals(const std::vector<Token>& list, std::size_t i, const Facts& facts) {
  const int value = whole_number(list[i]);
  if (!facts.proposals.contains(value) || (i > 0 && list[i - 1].is("of"))) return false;
  std::size_t noun = i + 1;
  while (noun < list.size() && qualities.contains(list[noun].folded)) ++noun;
  if (noun >= list.size() || !things.contains(list[noun].folded)) return false;
  return verb_before(list, i) || verb_after(list, noun);
}

}  // namespace prose
