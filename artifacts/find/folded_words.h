#pragma once
// Words as a search compares them: lower case, without accents, by their English stem. Folds Latin, Greek and Cyrillic;
// each Chinese, Japanese or Korean character is a word. Knows nothing of artifacts. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace artifacts {

struct FoldedWord {
  std::string text;                ///< The stem.
  std::size_t begin = 0, end = 0;  ///< Where the word stands, in bytes.
};

std::vector<FoldedWord> folded_words(std::string_view text);
/// The same without words that say nothing by themselves, each once; all of them if there are no others.
std::vector<std::string> wanted_words(std::string_view query);
/// Lower case, without accents; nothing else changes.
std::string folded(std::string_view text);

}  // namespace artifacts
