#pragma once
// Patches as `diff -u` and `git diff` write them: read, and laid over texts. Strict: a hunk is as long as its header
// says, and its old lines stand in the file letter for letter, where it says or at exactly one place further down.
// Any bytes may come. Pure.

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
  std::size_t old_from = 0;  ///< Line, from 1; of a hunk without old lines the line that it comes after.
  std::vector<HunkLine> lines;
  bool open_end = false;  ///< Its last new line has no line end.
};

struct FilePatch {
  std::string path;
  bool is_new = false, removes = false;
  std::vector<Hunk> hunks;  ///< Borrow the patch's text.
};

struct Diff {
  std::vector<FilePatch> files;
  std::string wrong;  ///< Why it is none; empty: it is one.
};

Diff read_diff(std::string_view patch);

struct Patched {
  std::string text;
  std::string wrong;     ///< Which hunk does not fit, and why; empty: all did.
  std::size_t line = 0;  ///< Where it does not, from 1.
};

Patched apply(const FilePatch&, std::string_view text);

}  // namespace agents
