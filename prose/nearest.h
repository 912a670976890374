#pragma once
// What somebody may have meant. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace prose {

/// Ignoring case: the candidate that `word` begins, else the one with the fewest edits from it, if they are at most a
/// third of it (or two); empty: none.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace prose
