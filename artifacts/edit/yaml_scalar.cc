#include "artifacts/edit/yaml_scalar.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::size_t longest_flow = 80;

bool is_plain_text(std::string_view text, bool flow) {
  static constexpr std::array<std::string_view, 13> words{"true", "false", "yes",  "no",   "on",  "off", "null",
                                                          "y",    "n",     ".nan", ".inf", "nan", "inf"};
  if (text.empty() || trimmed(text) != text) return false;
  if (!is_alnum(text.front()) || is_digit(text.front())) return false;
  if (std::ranges::any_of(words, [&](std::string_view word) { return same_word(word, text); })) return false;
  if (text.find(": ") != text.npos || text.find(" #") != text.npos || text.back() == ':') return false;
  return std::ranges::all_of(text, [&](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || is_alnum(c) ||
           std::string_view(flow ? "_-./+=%" : " _-./()+=%;,'\"").find(c) != std::string_view::npos;
  });
}

std::string in_double_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        result += "\\\"";
        break;
      case '\\':
        result += "\\\\";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\t':
        result += "\\t";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? fmt::format("\\x{:02x}", static_cast<unsigned>(c))
                                                       : std::string(1, c);
    }
  }
  return result + "\"";
}

}  // namespace

std::string yaml_scalar(std::string_view text, bool flow) {
  return is_plain_text(text, flow) ? std::string(text) : in_double_quotes(text);
}

std::string yaml_entry(std::string_view key, std::string_view text, std::size_t column) {
  const std::string blanks(column, ' ');
  const std::vector<std::string_view> lines = lines_of(text);
  const bool block = lines.size() > 1 && std::ranges::none_of(lines, [](std::string_view line) {
                       return line.starts_with(' ') || line.find('\t') != line.npos || trimmed(line) != line;
                     });
  if (!block) return fmt::format("{}{}: {}", blanks, key, yaml_scalar(text));
  std::string result = fmt::format("{}{}: |-", blanks, key);
  for (const std::string_view line : lines)
    result += line.empty() ? std::string("\n") : fmt::format("\n{}  {}", blanks, line);
  return result;
}

std::string yaml_entry(std::string_view key, const std::vector<std::string>& list, std::size_t column) {
  const std::string blanks(column, ' ');
  const std::string flow = joined_text(list, ", ", [](const std::string& one) { return yaml_scalar(one, true); });
  if (flow.size() <= longest_flow) return fmt::format("{}{}: [{}]", blanks, key, flow);
  std::string result = fmt::format("{}{}:", blanks, key);
  for (const std::string& one : list) result += fmt::format("\n{}  - {}", blanks, yaml_scalar(one));
  return result;
}

std::size_t end_of_quoted(std::string_view text, std::size_t at) {
  const char mark = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (mark == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == mark) {
      if (mark == '"' || i + 1 == text.size() || text[i + 1] != '\'') return i + 1;
      ++i;
    }
  }
  return text.npos;
}

namespace {

struct Brackets {
  std::size_t end = std::string_view::npos;      ///< Behind the closing one.
  std::size_t entries = std::string_view::npos;  ///< Behind what stands before the closing one, without comments.
};

Brackets brackets_at(std::string_view text, std::size_t at) {
  Brackets found{text.npos, at + 1};
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    const char before = i > 0 ? text[i - 1] : ' ';
    const bool begins = std::string_view(" \t\r\n[{,:").find(before) != std::string_view::npos;
    if ((text[i] == '"' || text[i] == '\'') && begins) {
      i = end_of_quoted(text, i);
      if (i == text.npos) return found;
      found.entries = i--;
    } else if (text[i] == '#' && (before == ' ' || before == '\n' || before == '\t')) {
      i = text.find('\n', i);
      if (i == text.npos) return found;
    } else if ((text[i] == ']' || text[i] == '}') && --depth == 0) {
      found.end = i + 1;
      return found;
    } else {
      if (text[i] == '[' || text[i] == '{') ++depth;
      if (std::string_view(" \t\r\n").find(text[i]) == std::string_view::npos) found.entries = i + 1;
    }
  }
  return found;
}

}  // namespace

std::size_t end_of_brackets(std::string_view text, std::size_t at) {
  return brackets_at(text, at).end;
}

std::size_t end_of_entries(std::string_view text, std::size_t at) {
  return brackets_at(text, at).entries;
}

std::size_t end_of_plain(std::string_view line, std::size_t at) {
  std::size_t end = line.size();
  for (std::size_t i = at + 1; i < line.size(); ++i)
    if (line[i] == '#' && (line[i - 1] == ' ' || line[i - 1] == '\t')) {
      end = i;
      break;
    }
  while (end > at && (line[end - 1] == ' ' || line[end - 1] == '\t')) --end;
  return end;
}

}  // namespace artifacts
