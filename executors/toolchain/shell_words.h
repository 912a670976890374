#pragma once
// Splits a shell command into words and operators. Pure; expands nothing, and marks words that need expansion.

#include <string>
#include <string_view>
#include <vector>

namespace executors {

struct ShellWord {
  std::string text;  ///< Without quotes; for an operator its characters.
  bool is_operator = false;
  bool expands = false;            ///< Contains `$` or a back-quote, so its value is unknown.
  bool quoted = false;             ///< Begins with a quote, so it is no keyword and no assignment.
  std::vector<std::string> inner;  ///< Commands inside `$(…)` and back-quotes.
};

/// Stops before a here-document.
std::vector<ShellWord> shell_words(std::string_view command);

}  // namespace executors
