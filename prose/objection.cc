#include "prose/objection.h"

#include <algorithm>

#include <fmt/format.h>

#include "prose/characters.h"

namespace prose {

namespace {

/// The text as one short line without invisible characters.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string out;
  std::size_t count = 0;
  for (const Character& c : characters(text)) {
    if (++count > most) return out + "…";
    if (space(c.code))
      out += ' ';
    else if (readable(c.code))
      out += text.substr(c.offset, c.length);
    else if (c.code == 0xFFFD)
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(text[c.offset]));
    else
      out += fmt::format("U+{:04X}", static_cast<unsigned>(c.code));
  }
  return out;
}

}  // namespace

Place place_of(std::string_view text, std::size_t offset) {
  Place place;
  for (const Character& c : characters(text.substr(0, std::min(offset, text.size())))) {
    ++place.column;
    if (c.code == '\n') ++place.line, place.column = 1;
  }
  return place;
}

std::string described(std::string_view text, const Objection& finding) {
  const Place place = place_of(text, finding.offset);
  return fmt::format("line {}, column {}: `{}` {}{}{}", place.line, place.column,
                     shown(text.substr(finding.offset, finding.length)), finding.why, finding.todo.empty() ? "" : ": ",
                     finding.todo);
}

std::string_view name(Kind kind) {
  constexpr std::string_view names[] = {"address", "number", "citation", "direction", "unreadable", "claim"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace prose
