#pragma once
// Why a text may not be published, with the exact position. Pure values.

#include <cstddef>
#include <string>
#include <string_view>

namespace prose {

enum class Kind { address, number, citation, direction, unreadable, claim };

struct Objection {
  Kind kind = Kind::number;
  std::size_t offset = 0, length = 0;  ///< In bytes of the text.
  std::string why;                     ///< Such as "is an unsupported number".
  std::string todo;                    ///< What to write instead; may be empty.
};

/// Counted from 1; columns are characters, as editors count them.
struct Place {
  int line = 1, column = 1;
};
Place place_of(std::string_view text, std::size_t offset);

/// "line 1, column 7: `3.7` is an unsupported number: give its address, such as {{H1.effect}}"
std::string described(std::string_view text, const Objection&);

std::string_view name(Kind);

}  // namespace prose
