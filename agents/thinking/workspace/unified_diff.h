#pragma once
// Patches as `diff -u` and `git diff` write them: reads them, applies them to texts, and writes the difference of two
// texts. Reading is strict: a hunk is as long as its header says, and its old lines match exactly, at the stated line
// or at a single position below. Takes any bytes. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agents {

struct HunkLine {
  char kind = ' ';  ///< ' ', '-' or '+'.
  std::string_view text;
};

struct Hunk {
  std::size_t old_from = 0;  ///< Line, from 1. For a hunk without old lines: the line before it.
  std::vector<HunkLine> lines;
  bool open_end = false;  ///< Its last new line has no line end.
};

struct FilePatch {
  std::string path;
  bool is_new = false, removes = false;
  std::vector<Hunk> hunks;  ///< Borrow the text of the patch.
};

struct Diff {
  std::vector<FilePatch> files;
  std::string wrong;  ///< Why it is no patch; empty if it is one.
};

Diff read_diff(std::string_view patch);

struct Patched {
  std::string text;
  std::string wrong;     ///< Which hunk does not fit, and why; empty if all do.
  std::size_t line = 0;  ///< The line where it does not fit, from 1.
};

Patched apply(const FilePatch&, std::string_view text);

/// Of each hunk the first and the last changed line, by the numbers of the new text. Where lines were only removed, the
/// next one stands in their place.
std::vector<std::pair<int, int>> places_changed(const FilePatch&);

/// The lines that a diff adds or removes, whichever is more.
int lines_changed(const std::string& diff);

/// The files that a diff names.
std::vector<std::string> files_in(const std::string& diff);

/// With three lines of context; nullopt is a file that does not exist. Binary files only differ or not. Empty if
/// nothing differs. If the texts have almost nothing in common, one replaces the other as a whole.
std::string diff_of(const std::string& path, const std::optional<std::string>& before,
                    const std::optional<std::string>& after);

}  // namespace agents
