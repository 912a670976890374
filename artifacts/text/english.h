#pragma once
// English prose for the audit of statements: words, sentences, numbers and denials. Knows nothing of artifacts. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace artifacts {

/// The words in lower case, without formatting and without code spans, which are names.
std::vector<std::string> words_in(std::string_view text);
/// The first word as written.
std::string_view first_word(std::string_view text);
/// Whether a word in lower case says nothing by itself ("the", "which", "not").
bool is_filler(std::string_view word);
/// "sorted", "sorting" → "sort". The word is in lower case.
std::string word_stem(std::string word);
/// The stems of content words, each once.
std::vector<std::string> stems_in(std::string_view text);
/// Cut at full stops, semicolons, question marks and line ends; never inside a number.
std::vector<std::string_view> sentences_in(std::string_view text);
/// +1 if the sentence says that something is more than something else, -1 if less; 0 if neither or both.
int comparison_in(std::string_view sentence);
/// Whether the sentence says that something is not so, failed or was given up.
bool denies(std::string_view sentence);

struct NumberInText {
  double value = 0;
  int decimals = 0;      ///< Digits after the point.
  bool percent = false;  ///< "%" or "×" follows.
  std::string text;
};
/// Numbers that are quantities, without those in "ResNet-34", "C01" or "table1".
std::vector<NumberInText> numbers_of(std::string_view text);

/// The first number that states the size of an outcome: one with a decimal, a percent sign or a unit. Counts, names
/// ("top-5"), settings ("n = 0.5") and sections ("§4.1") are skipped. Empty if there is none.
std::string_view predicted_number(std::string_view text);

/// Whether the text is empty, "none", "n/a", "TBD", "-".
bool says_nothing(std::string_view text);

}  // namespace artifacts
