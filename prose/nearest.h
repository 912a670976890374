#pragma once
// What somebody may have meant. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace prose {

/// How many edits make one of the other, two neighbours exchanged counting as one: Damerau, "A technique for computer
/// detection and correction of spelling errors", Communications of the ACM 7 (1964). Takes the product of their
/// lengths.
std::size_t edits(std::string_view, std::string_view);

/// Ignoring case: the candidate that `word` begins, else the one with the fewest edits from it, if they are at most a
/// third of it (or two); empty: none.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace prose
