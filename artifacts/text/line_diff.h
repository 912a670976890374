#pragma once
// Compares two texts line by line: what is missing and what is added. Ignores blanks at the ends of lines. Pure; linear
// if the texts are equal, and always bounded.

#include <vector>

#include "base/kept_lines.h"

namespace artifacts {

/// Expected lines that are missing, found lines that are added, or a replacement. Positions count from 0.
struct LineHunk {
  std::size_t expected = 0, expected_count = 0;
  std::size_t found = 0, found_count = 0;
};

using kernel::Lines;

/// Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1 (1986). If more than a thousand lines
/// differ, one hunk covers everything from the first to the last difference.
std::vector<LineHunk> line_hunks(const Lines& expected, const Lines& found);

}  // namespace artifacts
