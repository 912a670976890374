#include "artifacts/text/escaping.h"

#include <algorithm>
#include <charconv>

#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

bool word_byte(char c) {
  return is_alnum(c) || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t longest_run(std::string_view text, char c) {
  std::size_t longest = 0, run = 0;
  for (const char x : text) {
    run = x == c ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

/// Escapes Markdown's special characters in one line of text.
std::string escaped(const std::string& line, bool brackets) {
  std::string out;
  out.reserve(line.size() + 8);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const char next = i + 1 < line.size() ? line[i + 1] : ' ';
    bool special = std::string_view("\\`*|~$&#").find(c) != std::string_view::npos;
    if (c == '[' || c == ']') special = brackets;
    if (c == '<') special = is_alnum(next) || next == '/' || next == '!' || next == '?';
    // Underscores inside words are common in names and have no meaning there.
    if (c == '_') special = i == 0 || i + 1 == line.size() || !word_byte(line[i - 1]) || !word_byte(next);
    if (special) out += '\\';
    out += c;
  }
  return out;
}

/// Whether a spreadsheet would take it for a formula (OWASP, "CSV Injection"). Numbers, signed or not, are no formulas.
bool would_calculate(std::string_view text) {
  if (text.empty() || std::string_view("=+-@\t\r").find(text.front()) == std::string_view::npos) return false;
  double number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ptr != end;
}

}  // namespace

std::string in_markdown(std::string_view text) {
  const std::string line = printable(text);
  // Intervals keep their brackets; brackets are escaped only if they could be a link.
  const bool links = line.find("](") != std::string::npos || line.find("][") != std::string::npos ||
                     line.find("]:") != std::string::npos;
  return escaped(line, links);
}

std::string in_link_text(std::string_view text) {
  return escaped(printable(text), true);
}

std::string in_code(std::string_view text) {
  const std::string line = printable(text);
  const std::string fence(longest_run(line, '`') + 1, '`');
  const bool pad = line.empty() || line.front() == '`' || line.back() == '`' || line.front() == ' ';
  return fence + (pad ? " " : "") + line + (pad ? " " : "") + fence;
}

std::string in_html(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string in_csv(std::string_view text) {
  std::string line = printable(text);
  if (would_calculate(text)) line.insert(0, 1, '\'');
  if (line.find_first_of(",\"\r\n") == std::string::npos && trimmed(line).size() == line.size()) return line;
  std::string out = "\"";
  for (const char c : line) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string in_gnuplot(std::string_view text, std::size_t limit) {
  std::string out = "'";
  for (const char c : shortened(printable(text), limit)) {
    if (c == '\'') out += '\'';
    // In some gnuplot strings a backquote starts a command, so none is passed on.
    out += c == '`' ? '"' : c;
  }
  return out + "'";
}

std::string in_gnuplot_tic(std::string_view text, std::size_t limit) {
  std::string out;
  for (const char c : in_gnuplot(text, limit)) out += c == '%' ? std::string("%%") : std::string(1, c);
  return out;
}

std::string in_file_name(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 60)) out += is_alnum(c) || c == '_' || c == '-' ? c : '-';
  return out.empty() ? "unnamed" : out;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += " " + in_markdown(cell) + " |";
  return row;
}

std::string markdown_table(const PlainTable& table) {
  std::string text = markdown_row(table.header) + "\n|";
  for (std::size_t i = 0; i < table.header.size(); ++i)
    text += i < table.right.size() && table.right[i] ? "---:|" : "---|";
  text += "\n";
  for (const auto& row : table.rows) text += markdown_row(row) + "\n";
  return text;
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) row += (i ? "," : "") + in_csv(cells[i]);
  return row + "\n";
}

}  // namespace artifacts
