#pragma once
// The characters of a text that people read. Bytes that are no UTF-8 become characters that are not readable; no
// function fails. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace prose {

struct Character {
  char32_t code = 0;       ///< U+FFFD if the bytes are no UTF-8.
  std::size_t offset = 0;  ///< In bytes.
  std::size_t length = 1;
};

std::vector<Character> characters(std::string_view text);

/// Printed Latin and Greek, the punctuation and signs of scientific English, and white space. Not readable: invisible
/// characters, look-alikes of Latin letters and digits, and other scripts.
bool readable(char32_t);
/// A digit, fraction, Roman numeral or enclosed number of any script.
bool numeric(char32_t);
/// A Latin or Greek letter.
bool letter(char32_t);
bool digit(char32_t);  ///< ASCII.
bool superscript(char32_t);
bool subscript(char32_t);
bool space(char32_t);  ///< Including non-breaking spaces.
bool dash(char32_t);   ///< Hyphens, dashes and minus.
/// Lower case without marks: "É" becomes "e". Zero if it is no Latin letter.
char folded(char32_t);
/// Lower case; changes ASCII letters only.
std::string lowered(std::string);

}  // namespace prose
