#pragma once
// Finds code that sets the seed of a random generator to a constant, so that every run would repeat the same draw.
// Reads lines, no syntax: a warning may name code that is never executed. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace memory {

/// True if a file of this name may contain such code: Python, Julia, R, shell, C, C++, Rust, Go, Java, JavaScript, Lua.
bool may_pin_seeds(std::string_view path);

/// The line of such a file without its comment.
std::string_view without_comment(std::string_view path, std::string_view line);

/// "PATH:LINE: text", at most `most`. A call such as `manual_seed(42)`, an argument `random_state=42` or `seed=42`, or
/// a line `seed = 42`. Comments and defaults of command-line options do not count.
std::vector<std::string> seed_pins(std::string_view path, std::string_view text, std::size_t most);

}  // namespace memory
