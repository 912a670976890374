#pragma once
// The characters of a text that people are to read. Bytes that are no UTF-8 become characters of their own, which
// nobody can read; nothing here fails. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace prose {

struct Character {
  char32_t code = 0;       ///< U+FFFD where the bytes are no UTF-8.
  std::size_t offset = 0;  ///< In bytes.
  std::size_t length = 1;
};

std::vector<Character> characters(std::string_view text);

/// Printed Latin and Greek, the punctuation and signs of scientific English, and whitespace. What is invisible, looks
/// like a Latin letter or a digit without being one, or belongs to a script that is not read here, is not readable.
bool readable(char32_t);
/// A digit, fraction, Roman numeral or enclosed number of any script that has one of its own here.
bool numeric(char32_t);
/// Latin or Greek.
bool letter(char32_t);
bool digit(char32_t);  ///< ASCII.
bool superscript(char32_t);
bool subscript(char32_t);
bool space(char32_t);  ///< Also those that do not break.
bool dash(char32_t);   ///< Hyphens, dashes and minus.
/// Lower case and without marks: "É" is "e". Zero for what is no Latin letter.
char folded(char32_t);
/// ASCII letters only.
std::string lowered(std::string);

}  // namespace prose
