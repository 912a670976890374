#include "prose/opaque.h"

#include <algorithm>
#include <optional>
#include <string>

#include "prose/characters.h"

namespace prose {

namespace {

bool word_byte(char c) {
  return letter(static_cast<unsigned char>(c)) || digit(static_cast<unsigned char>(c)) || c == '_';
}

bool key_byte(char c) {
  return word_byte(c) || std::string_view(":.#$&-+?<>~/").find(c) != std::string_view::npos;
}

bool starts(std::string_view text, std::size_t at, std::string_view what) {
  return text.substr(at, what.size()) == what;
}

/// Where a line ends.
std::size_t line_end(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

std::optional<Span> url_at(std::string_view text, std::size_t at) {
  if (at > 0 && word_byte(text[at - 1])) return std::nullopt;
  const std::size_t scheme = starts(text, at, "https://") ? 8 : starts(text, at, "http://") ? 7 : 0;
  if (scheme == 0) return std::nullopt;
  std::size_t end = at + scheme;
  int open = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7F) break;
    if (std::string_view("<>\"`{}|\\^[]*").find(c) != std::string_view::npos) break;
    open += c == '(' ? 1 : 0;
    if (c == ')' && --open < 0) break;
  }
  while (end > at && std::string_view(".,;:!?'").find(text[end - 1]) != std::string_view::npos) --end;
  // A host has a letter. Without one this is an amount written as an address.
  const std::string_view host = text.substr(at + scheme, end - at - scheme);
  const bool named =
      std::any_of(host.begin(), host.begin() + static_cast<std::ptrdiff_t>(std::min(host.find('/'), host.size())),
                  [](char c) { return letter(static_cast<unsigned char>(c)); });
  if (!named) return std::nullopt;
  return Span{Span::Kind::url, at, end - at};
}

/// Whether the content has only numbers and short units, and so is no code.
bool bare_amount(std::string_view content) {
  bool digits = false;
  std::size_t letters = 0;
  for (const Character& c : characters(content)) {
    digits = digits || numeric(c.code);
    letters = letter(c.code) ? letters + 1 : 0;
    if (letters > 2 || c.code == '_') return false;
  }
  return digits;
}

std::optional<Span> code_at(std::string_view text, std::size_t at) {
  const char mark = text[at];
  if (mark != '`' && mark != '~') return std::nullopt;
  const std::size_t length = std::min(text.find_first_not_of(mark, at), text.size()) - at;
  const std::size_t line = text.rfind('\n', at) == std::string_view::npos || at == 0 ? 0 : text.rfind('\n', at) + 1;
  const bool first = text.substr(line, at - line).find_first_not_of(' ') == std::string_view::npos;
  const std::string fence(length, mark);
  if (length >= 3 && first) {
    for (std::size_t next = line_end(text, at); next < text.size(); next = line_end(text, next)) {
      const std::size_t start = text.find_first_not_of(' ', ++next);
      if (start != std::string_view::npos && starts(text, start, fence)) {
        const std::size_t end = line_end(text, start);
        return Span{Span::Kind::code, at, end - at};
      }
    }
    return std::nullopt;  // Without a closing fence the rest is prose.
  }
  if (mark == '~') return std::nullopt;
  for (std::size_t close = text.find('`', at + length); close != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_not_of('`', close), text.size());
    if (end - close == length) {
      const std::string_view content = text.substr(at + length, close - at - length);
      if (content.find("\n\n") != std::string_view::npos || bare_amount(content)) return std::nullopt;
      return Span{Span::Kind::code, at, end - at};
    }
    close = text.find('`', end);
  }
  return std::nullopt;
}

std::optional<Span> citation_at(std::string_view text, std::size_t at) {
  if (text[at] == '@') {
    if (at > 0 && word_byte(text[at - 1])) return std::nullopt;
    std::size_t end = at + 1;
    if (end >= text.size() || !word_byte(text[end])) return std::nullopt;
    while (end < text.size() && key_byte(text[end])) ++end;
    while (!word_byte(text[end - 1])) --end;
    return Span{Span::Kind::citation, at, end - at};
  }
  if (text[at] != '\\' || !starts(text, at + 1, "cite")) return std::nullopt;
  const std::size_t brace = text.find_first_of("{\n", at);
  if (brace == std::string_view::npos || text[brace] == '\n' || starts(text, brace, "{{")) return std::nullopt;
  const std::size_t close = text.find_first_of("}\n", brace);
  if (close == std::string_view::npos || text[close] == '\n') return std::nullopt;
  return Span{Span::Kind::citation, at, close + 1 - at};
}

}  // namespace

std::vector<Span> references_in(std::string_view text) {
  std::vector<Span> list;
  for (std::size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", list.back().end())) {
    const std::size_t line = line_end(text, at);
    const std::size_t close = text.find("}}", at + 2);
    const bool closed = close != std::string_view::npos && close < line &&
                        text.substr(at + 2, close - at - 2).find("{{") == std::string_view::npos;
    list.push_back({Span::Kind::reference, at, (closed ? close + 2 : std::min(line, text.find("{{", at + 2))) - at});
  }
  return list;
}

std::string_view address_of(std::string_view text, const Span& reference) {
  std::string_view inside = text.substr(reference.offset, reference.length);
  if (inside.size() < 4 || !inside.ends_with("}}")) return {};
  inside = inside.substr(2, inside.size() - 4);
  const std::size_t first = inside.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return inside.substr(first, inside.find_last_not_of(" \t") - first + 1);
}

std::vector<Span> opaque_spans(std::string_view text, Markup markup) {
  const std::vector<Span> references = references_in(text);
  std::vector<Span> list;
  auto next = references.begin();
  for (std::size_t at = 0; at < text.size();) {
    while (next != references.end() && next->offset < at) ++next;
    if (next != references.end() && next->offset == at) {
      list.push_back(*next);
      at = next->end();
      continue;
    }
    std::optional<Span> found = url_at(text, at);
    if (!found && markup == Markup::markdown) found = code_at(text, at);
    if (!found) found = citation_at(text, at);
    // A reference takes precedence over all other spans.
    if (found && next != references.end() && next->offset < found->end()) found.reset();
    if (found) list.push_back(*found);
    at = found ? found->end() : at + 1;
    // A longer run of backquotes does not start in its middle.
    if (!found && markup == Markup::markdown && text[at - 1] == '`')
      at = std::min(text.find_first_not_of('`', at), text.size());
  }
  return list;
}

}  // namespace prose
