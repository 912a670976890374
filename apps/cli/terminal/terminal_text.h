#pragma once
// Text for the reader's terminal: its width, whether it shows colour, how many columns a text fills, and the marks of
// verdicts. Colour only repeats what the words say. Knows nothing of studies.

#include <cstdio>
#include <string>
#include <string_view>

namespace cli {

enum class TextStyle { plain, strong, dim, supported, refuted, inconclusive, bad };

struct Screen {
  int width = 0;  ///< Columns; 0 without a terminal, so without a limit.
  bool colour = false;
};

/// The screen of standard output: colour only on a terminal, with NO_COLOR unset or empty and TERM other than `dumb`.
Screen standard_screen();
/// Columns of the terminal behind `fd`, else of $COLUMNS, else 80.
int terminal_width(int fd);

/// The text in this colour; unchanged if `colour` is false.
std::string paint(std::string_view text, TextStyle, bool colour);

/// `✓ supported`, `✗ refuted`, `~ inconclusive`; `·` and the word for anything else.
std::string verdict_mark(std::string_view verdict);
TextStyle verdict_style(std::string_view verdict);

/// Shows control characters except newline and tab, direction marks and malformed bytes as \xNN, so that a job cannot
/// drive the terminal.
std::string printable(std::string_view text);
/// The same on one line: newlines and tabs become blanks.
std::string one_line(std::string_view text);

/// Terminal columns that the text fills (two for wide characters, none for combining ones). Precondition: made by
/// `one_line`.
int columns_of(std::string_view text);

/// At most `columns` columns; a cut text ends with `…`.
std::string cut(std::string_view text, int columns);

/// At most the last `columns` columns; a cut text begins with `…`.
std::string tail(std::string_view text, int columns);

/// Broken at spaces into lines of at most `columns` columns, indented by `indent` spaces except the first, of which
/// `used` columns are taken. A longer word gets a line of its own. `columns` 0 means no limit.
std::string wrapped(std::string_view text, int columns, int indent, int used = 0);
/// Every line of a text broken for a screen of this width, further parts two columns deeper than the line begins.
std::string wrapped_lines(std::string_view text, int width);

/// With the marks, lines and signs that etude itself prints in ASCII: `✓` becomes `+`. Other characters stay.
std::string in_ascii(std::string_view text);
/// Prints on `stream` for a person: by `in_ascii`, if the locale has another character set than UTF-8.
void print_text(std::string_view text, std::FILE* stream = stdout);

}  // namespace cli
