#pragma once
// A text as its lines.

#include <string_view>
#include <vector>

namespace agents {

/// Without their ends; they borrow the text. A line end at the text's end begins no further line.
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
