#pragma once
// How text meets the reader's terminal: its width, whether it takes colour, how many columns a text fills, and how the
// three kinds of verdict look. Colour only adds to what the words already say. Knows nothing of studies.

#include <string>
#include <string_view>

namespace cli {

enum class Ink { plain, strong, dim, supported, refuted, inconclusive, bad };

struct Screen {
  int width = 0;  ///< Columns; 0: no terminal, so no limit.
  bool colour = false;
};

/// Standard output: colour only on a terminal, with NO_COLOR unset or empty and TERM other than `dumb`.
Screen standard_screen();
/// Columns of the terminal behind `fd`, else of $COLUMNS, else 80.
int terminal_width(int fd);

/// The text in this ink; unchanged without colour.
std::string paint(std::string_view text, Ink, bool colour);

/// `✓ supported`, `✗ refuted`, `~ inconclusive`; `·` and the word for anything else.
std::string verdict_mark(std::string_view verdict);
Ink verdict_ink(std::string_view verdict);

/// Control characters other than newline and tab, marks that turn text around and bytes that are not UTF-8 as \xNN.
std::string visible(std::string_view text);
/// The same on one line: newlines and tabs are blanks.
std::string one_line(std::string_view text);

/// Terminal columns that the text fills (wide characters two, combining ones none). Precondition: made by `one_line`.
int columns_of(std::string_view text);

/// At most `columns` columns; what is cut ends with `…`.
std::string cut(std::string_view text, int columns);

/// At most the last `columns` columns; what is cut begins with `…`.
std::string tail(std::string_view text, int columns);

/// Broken at spaces into lines of at most `columns` columns, each but the first behind `indent` spaces; a longer word
/// keeps a line of its own. `columns` 0: no limit.
std::string wrapped(std::string_view text, int columns, int indent);

}  // namespace cli
