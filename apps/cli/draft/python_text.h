#pragma once
// Reads as much of Python as calls with literal arguments need: strings, comments and brackets; all else is opaque
// text. Never fails; source that ends early gives what was there.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

struct PythonCall {
  std::vector<std::string> positional;                     ///< Source text of each argument, trimmed.
  std::vector<std::pair<std::string, std::string>> named;  ///< name=text
  std::size_t offset = 0;                                  ///< Position of the call's name in the source.

  /// The text of a named argument; empty if there is none.
  std::string_view find(std::string_view name) const;
};

/// Every call whose name ends with the word `name`: for `add_argument`, also `parser.add_argument`. Skips comments and
/// strings.
std::vector<PythonCall> python_calls(std::string_view source, std::string_view name);

/// The content of a string literal with any prefix (`f`, `r`, …), with simple escapes decoded; none for other text.
std::optional<std::string> python_string(std::string_view text);

/// The items of a list, tuple, set or dict literal (its keys); only strings and numbers.
std::vector<std::string> python_items(std::string_view text);

/// The text assigned to `name` at the start of a line; empty if there is none.
std::string_view python_assigned(std::string_view source, std::string_view name);

/// Every string literal in the source with its offset, in order.
std::vector<std::pair<std::size_t, std::string>> python_strings(std::string_view source);

}  // namespace cli
