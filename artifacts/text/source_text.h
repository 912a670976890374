#pragma once
// A text file as it is on disk, by lines, for changes that leave every other byte alone. Lines end as in clean()
// (untrusted_text.h), so that line numbers of what was parsed are those of the file. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace artifacts {

/// The offset of each line; a byte order mark belongs to no line.
std::vector<std::size_t> line_starts(std::string_view bytes);

class SourceText {
 public:
  explicit SourceText(std::string bytes);

  const std::string& bytes() const { return bytes_; }
  int lines() const;
  /// Lines count from 1. Without the line's end; empty behind the last line.
  std::string_view line(int number) const;
  /// Where the line begins; behind the last line, the end of the text.
  std::size_t start(int number) const;
  /// Where the line ends, before its line end.
  std::size_t end(int number) const;
  /// "\n" or "\r\n", as the first line ends.
  std::string_view newline() const { return newline_; }

 private:
  std::string bytes_;
  std::vector<std::size_t> starts_;
  std::string_view newline_ = "\n";
};

/// Replaces the bytes from `begin` to `end`.
struct TextEdit {
  std::size_t begin = 0, end = 0;
  std::string text;
};

/// The changed text and the line of the change.
struct Edited {
  std::string bytes;
  int line = 0;
};

/// Applies edits that do not overlap. New lines get the line end of the file; text that is inserted behind a last line
/// without an end keeps it so.
std::string edited_text(const SourceText& source, std::vector<TextEdit> edits);

/// A whole line (or several, without the last line end) behind the given one.
TextEdit lines_behind(const SourceText& source, int line, std::string_view lines);

}  // namespace artifacts
