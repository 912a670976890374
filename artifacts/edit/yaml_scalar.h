#pragma once
// Writes texts as YAML, and finds where a value in a YAML text ends. Knows nothing of artifacts. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace artifacts {

/// One line: plain if every reader takes that for this text, else in double quotes. `flow`: inside brackets.
std::string yaml_scalar(std::string_view text, bool flow = false);

/// The lines of `KEY: VALUE` at this column, without line ends at the end: a text of several lines as a literal block,
/// a short list in brackets, a long one with an entry on each line.
std::string yaml_entry(std::string_view key, std::string_view text, std::size_t column);
std::string yaml_entry(std::string_view key, const std::vector<std::string>& list, std::size_t column);

/// Behind the quoted text or the bracketed list that begins at `at`; npos if it does not end.
std::size_t end_of_quoted(std::string_view text, std::size_t at);
std::size_t end_of_brackets(std::string_view text, std::size_t at);
/// Behind the last entry or comma of the bracketed list that begins at `at`; the list ends.
std::size_t end_of_entries(std::string_view text, std::size_t at);
/// Behind the plain text that begins at `at`, on its line.
std::size_t end_of_plain(std::string_view line, std::size_t at);

}  // namespace artifacts
