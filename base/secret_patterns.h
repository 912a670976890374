#pragma once
// What keys look like: the prefixes of their makers, and enough characters after them. Pure.

#include <cstddef>
#include <optional>
#include <string_view>

namespace kernel {

/// Letters, digits, `_` and `-`: the characters of keys.
bool is_word(char c);

struct SecretShape {
  std::size_t begin = 0, end = 0;
  std::string_view label;
};

/// The key that the word from `begin` to `end` is, or introduces (a header's name, a block's first line).
std::optional<SecretShape> secret_at(std::string_view text, std::size_t begin, std::size_t end);

/// Where a key may begin that the text does not end; the text's size if there is none.
std::size_t open_secret(std::string_view text);

}  // namespace kernel
