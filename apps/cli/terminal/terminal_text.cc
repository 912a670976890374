#include "apps/cli/terminal/terminal_text.h"

#include <algorithm>
#include <cctype>
#include <clocale>
#include <cstdlib>
#include <cwchar>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace cli {

namespace {

// Widths and decoding depend on the thread's locale, and the user's may be plain C.
class Utf8Locale {
 public:
  Utf8Locale() {
    static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    if (utf8) before_ = uselocale(utf8);
  }
  ~Utf8Locale() {
    if (before_) uselocale(before_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t before_ = nullptr;
};

bool is_plain_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

struct Glyph {
  std::size_t bytes = 1;
  int columns = -1;  ///< -1 if it must not be shown on a terminal.
};

Glyph glyph_at(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {1, lead < 0x20 || lead == 0x7f ? -1 : 1};
  std::mbstate_t state{};
  wchar_t wide = 0;
  const std::size_t bytes = std::mbrtowc(&wide, text.data(), text.size(), &state);
  if (bytes == 0 || bytes > text.size()) return {1, -1};
  // Marks that change the direction of text could make a line read differently.
  const bool turns = (wide >= 0x202a && wide <= 0x202e) || (wide >= 0x2066 && wide <= 0x2069);
  return {bytes, turns ? -1 : wcwidth(wide)};
}

bool set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

/// Whether the locale's character set is UTF-8, by its name, since the locale itself may not be installed.
bool shows_utf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (!set(variable)) continue;
    std::string locale(std::getenv(variable));
    std::ranges::transform(locale, locale.begin(), [](unsigned char c) { return std::tolower(c); });
    return locale.find("utf-8") != locale.npos || locale.find("utf8") != locale.npos;
  }
  return false;
}

}  // namespace

int terminal_width(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const int width = columns ? std::atoi(columns) : 0;
  return width > 0 ? width : 80;
}

Screen standard_screen() {
  if (!isatty(STDOUT_FILENO)) return {};
  const char* kind = std::getenv("TERM");
  const bool dumb = kind && std::string_view(kind) == "dumb";
  return {terminal_width(STDOUT_FILENO), !dumb && !set("NO_COLOR")};
}

std::string paint(std::string_view text, TextStyle style, bool colour) {
  static constexpr const char* codes[] = {"", "1", "2", "1;32", "1;35", "3;33", "1;31"};
  if (!colour || style == TextStyle::plain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<std::size_t>(style)], text);
}

std::string verdict_mark(std::string_view verdict) {
  const char* mark = verdict == "supported"            ? "✓"
                     : verdict == "refuted"            ? "✗"
                     : verdict == "no_relevant_effect" ? "≈"
                     : verdict == "inconclusive"       ? "~"
                     : verdict == "withdrawn"          ? "–"
                                                       : "·";
  std::string word(verdict);
  std::ranges::replace(word, '_', ' ');
  return fmt::format("{} {}", mark, word);
}

TextStyle verdict_style(std::string_view verdict) {
  if (verdict == "supported") return TextStyle::supported;
  if (verdict == "refuted" || verdict == "no_relevant_effect") return TextStyle::refuted;
  return verdict == "inconclusive" ? TextStyle::inconclusive : TextStyle::dim;
}

std::string printable(std::string_view text) {
  if (is_plain_ascii(text)) return std::string(text);
  const Utf8Locale locale;
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Glyph glyph = glyph_at(text);
    if (glyph.columns >= 0 || text.front() == '\n' || text.front() == '\t')
      out += text.substr(0, glyph.bytes);
    else
      for (const char c : text.substr(0, glyph.bytes)) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    text.remove_prefix(glyph.bytes);
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string out = printable(text);
  for (char& c : out)
    if (c == '\n' || c == '\t') c = ' ';
  return out;
}

int columns_of(std::string_view text) {
  if (is_plain_ascii(text)) return static_cast<int>(text.size());
  const Utf8Locale locale;
  int columns = 0;
  while (!text.empty()) {
    const Glyph glyph = glyph_at(text);
    columns += glyph.columns > 0 ? glyph.columns : 0;
    text.remove_prefix(glyph.bytes);
  }
  return columns;
}

std::string cut(std::string_view text, int columns) {
  if (columns_of(text) <= columns) return std::string(text);
  const Utf8Locale locale;
  std::size_t end = 0;
  int filled = 0;
  while (end < text.size()) {
    const Glyph glyph = glyph_at(text.substr(end));
    const int more = glyph.columns > 0 ? glyph.columns : 0;
    if (filled + more > columns - 1) break;
    filled += more;
    end += glyph.bytes;
  }
  return columns < 1 ? std::string() : std::string(text.substr(0, end)) + "…";
}

std::string tail(std::string_view text, int columns) {
  int filled = columns_of(text);
  if (filled <= columns) return std::string(text);
  const Utf8Locale locale;
  while (!text.empty() && filled > columns - 1) {
    const Glyph glyph = glyph_at(text);
    filled -= glyph.columns > 0 ? glyph.columns : 0;
    text.remove_prefix(glyph.bytes);
  }
  return columns < 1 ? std::string() : "…" + std::string(text);
}

std::string wrapped(std::string_view text, int columns, int indent, int used) {
  if (columns == 0) return std::string(text);
  std::string out;
  int filled = used;
  bool begun = false;  // Whether the line has a word.
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    const int width = columns_of(word);
    if (begun && filled + 1 + width > columns) {
      out += "\n" + std::string(static_cast<std::size_t>(indent), ' ');
      filled = 0;
    } else if (begun) {
      out += ' ';
      ++filled;
    }
    out += word;
    filled += width;
    begun = true;
  }
  return out;
}

std::string wrapped_lines(std::string_view text, int width) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const int under = static_cast<int>(begin) + 2;
    const int columns = width > under + 20 ? width - under : 0;
    out += line.substr(0, begin);
    out += wrapped(line.substr(begin), columns, under, -2);
    out += text.substr(end, 1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string in_ascii(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {"✓", "+"}, {"✗", "x"},  {"≈", "="},  {"·", "-"},  {"○", "o"},  {"–", "-"},   {"—", "-"},  {"−", "-"},
      {"×", "x"}, {"±", "+-"}, {"≤", "<="}, {"≥", ">="}, {"→", "->"}, {"…", "..."}, {"“", "\""}, {"”", "\""},
      {"‘", "'"}, {"’", "'"},  {"│", "|"},  {"├", "|"},  {"└", "`"},  {"─", "-"},   {"█", "#"},  {"░", "."}};
  std::string out;
  while (!text.empty()) {
    const auto* known = std::ranges::find_if(signs, [&](const auto& sign) { return text.starts_with(sign.first); });
    const bool found = known != std::end(signs);
    const std::size_t size = found ? known->first.size() : 1;
    const bool first = out.empty() || out.back() == ' ';
    const bool counts = first && text.size() > size && std::isdigit(static_cast<unsigned char>(text[size]));
    // The count of a verdict behind a dash would read as a negative number.
    if (counts && text.starts_with("·"))
      out += '?';
    else if (counts && text.starts_with("–"))
      out += '/';
    else
      out += found ? known->second : text.substr(0, 1);
    text.remove_prefix(size);
  }
  return out;
}

void print_text(std::string_view text, std::FILE* stream) {
  const std::string shown = shows_utf8() ? std::string(text) : in_ascii(text);
  std::fwrite(shown.data(), 1, shown.size(), stream);
}

}  // namespace cli
