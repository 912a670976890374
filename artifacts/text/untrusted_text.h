#pragma once
// Text of others: made valid UTF-8, cut to size, and safe to print on a terminal.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/kept_lines.h"

namespace artifacts {

/// A text file for the readers: valid UTF-8, lines ended by '\n', no byte order mark, no control characters but tab and
/// newline. Each bad byte became U+FFFD.
struct CleanText {
  std::string text;
  int invalid_line = 0;  ///< First line that was not UTF-8; 0 if none.
  int control_line = 0;  ///< First line with a control character; 0 if none.
};
CleanText clean(std::string_view bytes);

/// One line for a terminal: control characters and direction overrides as \x1b or \u202e, invalid bytes as U+FFFD.
std::string printable(std::string_view text);
/// At most `limit` bytes, cut between characters, ending with "…" when cut.
std::string shortened(std::string_view text, std::size_t limit);
/// The different parts of two texts, with some common text around and "…" for what is left out; the whole texts if both
/// have at most `limit` bytes.
std::pair<std::string, std::string> differing(std::string_view a, std::string_view b, std::size_t limit);
/// `'text'`, shortened to 60 bytes.
std::string quote(std::string_view text);

std::string_view trimmed(std::string_view text);
using kernel::lines_of;
bool same_word(std::string_view a, std::string_view b);  ///< Ignoring ASCII case.
bool is_one_of(std::span<const std::string_view> words, std::string_view word);
bool begins_with_one_of(std::span<const std::string_view> starts, std::string_view text);
bool is_digit(char c);
bool is_alnum(char c);

/// The candidate within two edits of `word`; empty if there is none.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace artifacts
