#include "apps/cli/draft/python_text.h"

#include <algorithm>
#include <cctype>

namespace cli {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// The position after the string literal whose first quote is at `at`.
std::size_t string_end(std::string_view source, std::size_t at) {
  const char quote = source[at];
  const std::string_view triple = source.substr(at, 3);
  const bool is_triple = triple.size() == 3 && triple[1] == quote && triple[2] == quote;
  for (std::size_t i = at + (is_triple ? 3 : 1); i < source.size(); ++i) {
    if (source[i] == '\\') {
      ++i;
    } else if (source[i] == quote && (!is_triple || source.substr(i, 3) == triple)) {
      return i + (is_triple ? 3 : 1);
    } else if (source[i] == '\n' && !is_triple) {
      return i;
    }
  }
  return source.size();
}

/// The position after the comment or string that starts at `at`; `at` itself if none does.
std::size_t opaque_end(std::string_view source, std::size_t at) {
  if (source[at] == '#') return std::min(source.find('\n', at), source.size());
  return source[at] == '\'' || source[at] == '"' ? string_end(source, at) : at;
}

struct Pieces {
  std::vector<std::string_view> parts;
  std::size_t end = 0;  ///< After the closing bracket.
};

/// The comma-separated parts inside the bracket that opens at `open`.
Pieces inside_brackets(std::string_view source, std::size_t open) {
  Pieces found;
  int depth = 0;
  std::size_t start = open + 1, i = open;
  const auto part = [&](std::size_t end) {
    std::string_view text = trimmed(source.substr(start, end - start));
    while (!text.empty() && text.front() == '#') text = trimmed(text.substr(std::min(text.find('\n'), text.size())));
    if (!text.empty()) found.parts.push_back(text);
    start = end + 1;
  };
  while (i < source.size()) {
    const std::size_t skipped = opaque_end(source, i);
    if (skipped > i) {
      i = skipped;
      continue;
    }
    const char c = source[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ',' && depth == 1) part(i);
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) {
      part(i);
      found.end = i + 1;
      return found;
    }
    ++i;
  }
  if (start < source.size()) part(source.size());
  found.end = source.size();
  return found;
}

/// The position of `mark` in `text` outside brackets, strings and comments; npos if there is none.
std::size_t find_bare(std::string_view text, char mark) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t skipped = opaque_end(text, i);
    if (skipped > i) {
      i = skipped;
      continue;
    }
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
    if (text[i] == mark && depth == 0) return i;
    ++i;
  }
  return std::string_view::npos;
}

PythonCall call_of(const Pieces& pieces, std::size_t offset) {
  PythonCall call;
  call.offset = offset;
  for (const std::string_view part : pieces.parts) {
    const std::size_t equals = find_bare(part, '=');
    const std::string_view name = equals == std::string_view::npos ? "" : trimmed(part.substr(0, equals));
    if (!name.empty() && std::all_of(name.begin(), name.end(), is_word))
      call.named.emplace_back(name, trimmed(part.substr(equals + 1)));
    else
      call.positional.emplace_back(part);
  }
  return call;
}

}  // namespace

std::string_view PythonCall::find(std::string_view name) const {
  for (const auto& [key, text] : named)
    if (key == name) return text;
  return {};
}

std::vector<PythonCall> python_calls(std::string_view source, std::string_view name) {
  std::vector<PythonCall> calls;
  for (std::size_t i = 0; i < source.size();) {
    const std::size_t skipped = opaque_end(source, i);
    if (skipped > i) {
      i = skipped;
      continue;
    }
    const bool here = (i == 0 || !is_word(source[i - 1])) && source.substr(i, name.size()) == name;
    const std::size_t open = here ? source.find_first_not_of(" \t", i + name.size()) : std::string_view::npos;
    if (open != std::string_view::npos && source[open] == '(') {
      calls.push_back(call_of(inside_brackets(source, open), i));
      i = open + 1;  // Calls nest.
    } else {
      ++i;
    }
  }
  return calls;
}

std::optional<std::string> python_string(std::string_view text) {
  text = trimmed(text);
  const std::size_t open = text.find_first_of("'\"");
  if (open == std::string_view::npos || open > 2) return std::nullopt;
  for (const char c : text.substr(0, open))
    if (std::string_view("rRbBfFuU").find(c) == std::string_view::npos) return std::nullopt;
  const std::size_t end = string_end(text, open);
  if (end != text.size()) return std::nullopt;
  const std::size_t quotes = text.substr(open, 3) == "\"\"\"" || text.substr(open, 3) == "'''" ? 3 : 1;
  if (end < open + 2 * quotes) return std::nullopt;
  std::string out;
  const std::string_view inner = text.substr(open + quotes, end - open - 2 * quotes);
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\' || i + 1 == inner.size()) {
      out += inner[i];
      continue;
    }
    const char c = inner[++i];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  return out;
}

std::vector<std::string> python_items(std::string_view text) {
  std::vector<std::string> items;
  const std::size_t open = text.find_first_of("[({");
  if (open == std::string_view::npos) return items;
  for (std::string_view part : inside_brackets(text, open).parts) {
    if (text[open] == '{') part = trimmed(part.substr(0, find_bare(part, ':')));
    if (const auto string = python_string(part))
      items.push_back(*string);
    else if (!part.empty() && part.find_first_not_of("+-0123456789.eE_") == std::string_view::npos)
      items.emplace_back(part);
  }
  return items;
}

std::string_view python_assigned(std::string_view source, std::string_view name) {
  for (std::size_t at = source.find(name); at != std::string_view::npos; at = source.find(name, at + 1)) {
    if (at > 0 && source[at - 1] != '\n') continue;
    std::size_t equals = source.find_first_not_of(" \t", at + name.size());
    if (equals == std::string_view::npos || source[equals] != '=' || source.substr(equals, 2) == "==") continue;
    const std::size_t open = source.find_first_not_of(" \t", equals + 1);
    if (open == std::string_view::npos || std::string_view("[({").find(source[open]) == std::string_view::npos)
      continue;
    return source.substr(open, inside_brackets(source, open).end - open);
  }
  return {};
}

std::vector<std::pair<std::size_t, std::string>> python_strings(std::string_view source) {
  std::vector<std::pair<std::size_t, std::string>> strings;
  for (std::size_t i = 0; i < source.size();) {
    const std::size_t skipped = opaque_end(source, i);
    if (skipped > i && source[i] != '#')
      if (auto string = python_string(source.substr(i, skipped - i))) strings.emplace_back(i, std::move(*string));
    i = skipped > i ? skipped : i + 1;
  }
  return strings;
}

}  // namespace cli
