#pragma once
// English prose as the audit of statements needs it: words, sentences, numbers and whether something is denied. Knows
// nothing of artifacts. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace artifacts {

/// The words in lower case, without what formatting adds; code spans are left out, since a name is no word.
std::vector<std::string> words_in(std::string_view text);
/// The words that carry content, cut to their stems ("sorted", "sorting" → "sort"), each once.
std::vector<std::string> stems_in(std::string_view text);
/// Cut at full stops, semicolons, question marks and line ends; never inside a number.
std::vector<std::string_view> sentences_in(std::string_view text);
/// Whether it says that something is more (+1) or less (-1) than something else; 0: neither, or both.
int comparison_in(std::string_view sentence);
/// Whether the sentence says that something is not so, failed or was given up.
bool denies(std::string_view sentence);

struct NumberInText {
  double value = 0;
  int decimals = 0;      ///< Digits behind the point.
  bool percent = false;  ///< "%" or "×" follows.
  std::string text;
};
/// The numbers that are quantities: not the digits of "ResNet-34", "C01" or "table1".
std::vector<NumberInText> numbers_of(std::string_view text);

/// The first number that says how large an outcome is: with a decimal, a percent sign or a unit behind it. Empty where
/// there is none. Counts, names ("top-5"), settings ("n = 0.5") and sections ("§4.1") say nothing of an outcome.
std::string_view predicted_number(std::string_view text);

/// Whether nothing is said: empty, "none", "n/a", "TBD", "-".
bool says_nothing(std::string_view text);

}  // namespace artifacts
