#pragma once
// Merges two changed versions of a text with the version that both come from, line by line. Knows nothing of artifacts.
// Pure; the work is bounded.

#include <string>
#include <string_view>
#include <vector>

namespace artifacts {

/// What both sides changed, in different ways. "Ours" stays in the merged text.
struct MergeConflict {
  std::string where;  ///< An address with a field, or the number of a line in the merged text.
  std::string base, ours, theirs;
};

struct MergedLines {
  std::string text;
  std::vector<MergeConflict> conflicts;
};

/// What stands in the text at a conflict.
enum class AtConflict {
  ours,
  marks,  ///< Both versions, between the marks of Git.
};

/// Lines are compared without their ends; the merged text has the line ends of `ours`. Rows that both sides add to a
/// table at one place are kept one after the other. Khanna, Kunal and Pierce, "A Formal Investigation of Diff3" (2007).
MergedLines merge_lines(std::string_view base, std::string_view ours, std::string_view theirs, AtConflict at_conflict);

/// Both versions of a conflict between the marks of Git, each line with `newline`.
std::string marked(const MergeConflict& conflict, std::string_view newline);
/// The text with this line end.
std::string with_newlines(std::string_view text, std::string_view newline);
/// "\n" or "\r\n", as the first line of the text ends.
std::string_view newline_of(std::string_view text);

}  // namespace artifacts
