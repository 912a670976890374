#pragma once
// Splits a shell command into words and operators. Pure; expands nothing, and says where it stops understanding.

#include <string>
#include <string_view>
#include <vector>

namespace executors {

struct ShellWord {
  std::string text;  ///< Unquoted; of an operator, its characters.
  bool is_operator = false;
  bool expands = false;            ///< Holds `$` or a back-quote: its value is not known here.
  bool quoted = false;             ///< Begins with a quote: no keyword, no assignment.
  std::vector<std::string> inner;  ///< Commands inside `$(…)` and back-quotes.
};

/// Stops before a here-document.
std::vector<ShellWord> shell_words(std::string_view command);

}  // namespace executors
