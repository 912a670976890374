#pragma once
// UTF-8: checked, decoded, encoded, and cut between characters. Bytes of jobs and file names are checked before they
// are used as text. Pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace kernel {

/// Well-formed UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
bool valid_utf8(std::string_view bytes);

struct Utf8Character {
  char32_t code = 0;
  std::size_t length = 0;  ///< In bytes; 0 if the bytes are malformed.
};
/// The character at `at`. Precondition: `at` < size.
Utf8Character utf8_at(std::string_view bytes, std::size_t at);

/// False for bytes that continue a character.
inline bool begins_utf8(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

/// The longest prefix of at most `most` bytes that ends between two characters.
std::string_view utf8_prefix(std::string_view text, std::size_t most);

/// Precondition: `code` ≤ U+10FFFF.
void append_utf8(std::string& text, char32_t code);

}  // namespace kernel
