#pragma once
// Puts untrusted text and tables of it into a format so that it stays text. Every function first makes it one printable
// line of valid UTF-8. Pure.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace artifacts {

/// Inline Markdown, also in headings and table cells: renders as the plain text in CommonMark and its tables.
std::string in_markdown(std::string_view text);
/// The same, inside the brackets of a link or picture.
std::string in_link_text(std::string_view text);
/// A Markdown code span, delimiters included; not for table cells.
std::string in_code(std::string_view text);
/// HTML text and quoted attributes.
std::string in_html(std::string_view text);
/// One field of a CSV row (RFC 4180), quoted if needed. Text that a spreadsheet would compute gets a ' in front.
std::string in_csv(std::string_view text);
/// A single-quoted gnuplot string, quotes included, cut to `limit` characters.
std::string in_gnuplot(std::string_view text, std::size_t limit = 60);
/// The same for a label of a tic mark, in which gnuplot interprets formats.
std::string in_gnuplot_tic(std::string_view text, std::size_t limit = 16);
/// A file name's stem: letters, digits, '-' and '_'; never empty.
std::string in_file_name(std::string_view text);

struct PlainTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> right;  ///< Whether a column is aligned to the right; missing entries mean left.
};

/// One row, without a newline; claims quote it.
std::string markdown_row(const std::vector<std::string>& cells);
std::string markdown_table(const PlainTable&);
/// A line with its "\n".
std::string csv_row(const std::vector<std::string>& cells);

/// The texts that `words` gives for the elements, separated by `between`.
template <typename Elements, typename Words = std::identity>
std::string joined_text(const Elements& elements, std::string_view between, Words words = {}) {
  std::string text;
  for (const auto& element : elements) {
    if (!text.empty()) text += between;
    text += std::invoke(words, element);
  }
  return text;
}

}  // namespace artifacts
