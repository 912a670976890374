#pragma once
// Two texts compared line by line: what the one lacks of the other, and what it has beside it. Blanks at the ends of
// lines count for nothing. Pure; linear where the texts are the same, and never more than bounded work.

#include <string_view>
#include <vector>

namespace artifacts {

/// A stretch of expected lines that is missing, of found lines that is too much, or the one in place of the other.
/// Positions count from 0.
struct LineHunk {
  std::size_t expected = 0, expected_count = 0;
  std::size_t found = 0, found_count = 0;
};

using Lines = std::vector<std::string_view>;

/// Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1 (1986). Where more than a thousand lines
/// differ, all from the first to the last difference are one hunk.
std::vector<LineHunk> line_hunks(const Lines& expected, const Lines& found);

}  // namespace artifacts
