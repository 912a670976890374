#pragma once
// The words that say in which direction a result went. The list is closed: other words are not recognised. Pure.

#include <optional>
#include <vector>

#include "prose/tokens.h"

namespace prose {

enum class Sense { less, greater, better, worse, equal, different };

struct DirectionWord {
  std::size_t at = 0, words = 1;  ///< Tokens.
  Sense sense = Sense::different;
  bool strong = false;      ///< The word alone says how something performed: "faster", "outperforms".
  bool transitive = false;  ///< The words after it name what it is compared with.
};

std::vector<DirectionWord> direction_words(const std::vector<Token>&, const Sentence&, const Facts&);

/// "not", "no", "never", "n't" …; but not "not only".
bool negates(const std::vector<Token>&, std::size_t at);

}  // namespace prose
