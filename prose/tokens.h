#pragma once
// Splits a text into words, numerals and signs as a reader sees them: emphasis inside a word, accents and unusual
// blanks change nothing. Pure; takes any bytes.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "prose/facts.h"
#include "prose/opaque.h"

namespace prose {

/// Words in lower case.
using Words = std::set<std::string, std::less<>>;

struct Token {
  enum class Kind {
    word,        ///< Letters, with what joins them: "three-fold", "doesn't".
    identifier,  ///< A word with digits or underscores: "H1", "sha256".
    numeral,     ///< From the sign to the letters attached to it: "-1,000.5e3ms".
    name,        ///< One of Facts::names.
    sign,        ///< Any other character.
    reference,
    url,
    code,
    citation,
    hidden,  ///< Text that readers cannot see, or take for something else.
  };
  Kind kind = Kind::sign;
  std::size_t offset = 0, length = 0;
  std::string text;                ///< Its bytes; of a reference, the address.
  std::string folded;              ///< Of words: lower case without marks. Of signs: the character, with dashes as "-".
  std::vector<std::string> parts;  ///< Of words: the parts that hyphens join, folded.
  std::string number, suffix;  ///< Of numerals: the number without its suffix, and the suffix, such as "12" and "ms".
  bool glued = false;          ///< No space separates it from the token before.

  bool is(std::string_view word) const { return folded == word && kind != Kind::hidden; }
};

std::vector<Token> tokens(std::string_view text, Markup, const Facts&);

/// One element per sentence: the tokens from `begin` up to `end`.
struct Sentence {
  std::size_t begin = 0, end = 0;
};
std::vector<Sentence> sentences(const std::vector<Token>&);

}  // namespace prose
