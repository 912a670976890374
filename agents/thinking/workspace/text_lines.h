#pragma once
// Splits a text into lines.

#include <string_view>
#include <vector>

namespace agents {

/// Lines without their ends, borrowing the text. A line end at the end of the text starts no further line.
inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace agents
