#pragma once
// What a key looks like: the prefixes that its makers gave it so that it is found, and enough behind them. Pure.

#include <cstddef>
#include <optional>
#include <string_view>

namespace kernel {

/// Letters, digits, `_` and `-`: what keys are made of.
bool is_word(char c);

struct SecretShape {
  std::size_t begin = 0, end = 0;
  std::string_view label;
};

/// The key that the word from `begin` to `end` is, or announces (a header's name, a block's first line).
std::optional<SecretShape> secret_at(std::string_view text, std::size_t begin, std::size_t end);

/// Where the end of the text may be the beginning of a key; its size: nowhere.
std::size_t open_secret(std::string_view text);

}  // namespace kernel
