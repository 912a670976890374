#pragma once
// Compares sentences that state a direction or a verdict with the verdicts of the record. Recognises the words of
// direction_words.cc and the forms in docs/prose.md, and nothing else. Pure.

#include <vector>

#include "prose/objection.h"
#include "prose/tokens.h"

namespace prose {

void find_directions(const std::vector<Token>&, const Facts&, std::vector<Objection>&);

/// Finds "H1 is refuted" if H1 is not refuted.
void find_verdicts(const std::vector<Token>&, const Facts&, std::vector<Objection>&);

/// The hypothesis that a token names, by its id or by the address of one of its values.
const HypothesisFacts* named_by(const Token&, const Facts&);

/// Number of negations among the few words before; -1 if more than one, so that the meaning is not clear.
int negated(const std::vector<Token>&, const Sentence&, std::size_t at);
/// Whether one of these words is among the few words before, in the same clause.
bool preceded(const std::vector<Token>&, const Sentence&, std::size_t at, std::size_t most, const Words& words);

/// In which direction a result went.
enum class Sense { less, greater, better, worse, equal, different };

struct DirectionWord {
  std::size_t at = 0, words = 1;  ///< Tokens.
  Sense sense = Sense::different;
  bool strong = false;      ///< The word alone says how something performed: "faster", "outperforms".
  bool transitive = false;  ///< The words after it name what it is compared with.
};

/// The list of words is closed: others are not recognised.
std::vector<DirectionWord> direction_words(const std::vector<Token>&, const Sentence&, const Facts&);

/// Whether the word refers to the name: "quicksort" refers to `quick`, "randomly" does not refer to `random`.
bool speaks_of(const std::string& word, const std::string& name);
bool speaks_of(const Token&, const std::set<std::string>& names);

/// +1 if the sentence is about the treatment, -1 if about the control, 0 if that is not clear.
int orientation(const std::vector<Token>&, const Sentence&, const DirectionWord&, const HypothesisFacts&);

/// "not", "no", "never", "n't" …; but not "not only".
bool negates(const std::vector<Token>&, std::size_t at);

}  // namespace prose
