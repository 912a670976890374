#include "agents/thinking/briefing/prompts.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "base/utf8.h"
#include "embedded/prompts.h"

namespace agents {

namespace {

/// At most `most` bytes, cut between characters; malformed bytes are replaced.
std::string bounded(std::string_view text, std::size_t most) {
  std::string out;
  for (std::size_t at = 0; at < text.size() && out.size() < most;) {
    std::size_t length = 1;
    while (length <= 4 && at + length <= text.size() && !kernel::valid_utf8(text.substr(at, length))) ++length;
    const bool whole = length <= 4 && at + length <= text.size();
    const char c = text[at];
    if (!whole)
      out += "\xef\xbf\xbd";
    else if (length > 1 || c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= ' ')
      out += text.substr(at, length);
    at += whole ? length : 1;
  }
  return out;
}

/// Breaks every end mark in the text, also in spellings that a model may take for one, and everything that looks like
/// our beginning mark.
std::string without_marks(std::string_view text) {
  const auto blank = [&](std::size_t at) {
    return at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0;
  };
  const auto word = [&](std::size_t at, std::string_view wanted) {
    if (text.size() - std::min(at, text.size()) < wanted.size()) return false;
    return std::equal(wanted.begin(), wanted.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
  };
  const auto is_mark = [&](std::size_t at) {
    const auto skip = [&] {
      while (blank(at)) ++at;
    };
    skip();
    const bool closes = at < text.size() && text[at] == '/';
    if (closes) ++at;
    skip();
    if (!word(at, "data")) return false;
    at += 4;
    const bool parted = blank(at);
    skip();
    return closes || (parted && word(at, "from"));
  };
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    out += text[at];
    if (text[at] == '<' && is_mark(at + 1)) out += '\\';
  }
  return out;
}

}  // namespace

std::string filled(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out;
  std::set<std::string> used;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find("{{", at);
    out += text.substr(at, open - at);
    if (open == text.npos) break;
    const std::size_t close = text.find("}}", open);
    if (close == text.npos) throw std::logic_error("a place in a prompt does not end");
    const std::string name(text.substr(open + 2, close - open - 2));
    const auto value = values.find(name);
    if (value == values.end()) throw std::logic_error("the prompt has no value for " + name);
    out += value->second;  // Values are not searched again, so a `{{` in a value stays as it is.
    used.insert(name);
    at = close + 2;
  }
  for (const auto& [name, value] : values)
    if (!used.contains(name)) throw std::logic_error("the prompt has no place for " + name);
  return out;
}

std::string lines_given(std::string_view text, const Given& given) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::string_view line = text.substr(at, end - at);
    at = end;
    const std::size_t close = line.find("] ");
    const bool marked = line.starts_with('[') && close != line.npos &&
                        line.substr(1, close - 1).find_first_not_of("abcdefghijklmnopqrstuvwxyz_!") == line.npos;
    if (marked) {
      const bool without = line[1] == '!';
      const std::size_t from = without ? 2 : 1;
      if (given.contains(std::string(line.substr(from, close - from))) == without) continue;
      line.remove_prefix(close + 2);
    }
    out += line;
  }
  return out;
}

std::string prompt(std::string_view name, const std::map<std::string, std::string>& values, const Given& given) {
  return filled(plain_prompt(name, given), values);
}

std::string plain_prompt(std::string_view name, const Given& given) {
  return lines_given(embedded::prompts(std::string(name) + ".md"), given);
}

std::string quoted(std::string_view label, std::string_view text, std::size_t most_bytes) {
  const std::string inside = without_marks(bounded(text, most_bytes));
  std::string from;
  for (const char c : bounded(label, 300)) from += c == '"' || c == '<' || c == '>' || c == '\n' ? '\'' : c;
  const std::string cut =
      text.size() > most_bytes ? fmt::format(" shown=\"the first {} of {} bytes\"", most_bytes, text.size()) : "";
  return fmt::format("<data from=\"{}\"{}>\n{}{}</data>", from, cut, inside,
                     inside.empty() || inside.back() == '\n' ? "" : "\n");
}

std::string quoted_tail(std::string_view label, std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return quoted(label, text, most_bytes);
  return quoted(fmt::format("{}, its last {} bytes of {}", label, most_bytes, text.size()),
                text.substr(text.size() - most_bytes), most_bytes);
}

}  // namespace agents
