#pragma once
// What a misspelt word may have meant. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace prose {

/// Damerau's edit distance, in which exchanging two neighbours is one edit: "A technique for computer detection and
/// correction of spelling errors", Communications of the ACM 7 (1964). Time: the product of the lengths.
std::size_t edits(std::string_view, std::string_view);

/// The candidate that `word` begins, else the nearest one by `edits`, ignoring case; at most a third of its length (or
/// two) away. Empty if there is none.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace prose
