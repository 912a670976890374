#include "artifacts/text/line_diff.h"

#include <algorithm>

namespace artifacts {
namespace {

std::string_view without_end(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t\r");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

bool same_line(std::string_view a, std::string_view b) {
  return a == b || without_end(a) == without_end(b);
}

}  // namespace

std::vector<LineHunk> line_hunks(const Lines& expected, const Lines& found) {
  const std::size_t shorter = std::min(expected.size(), found.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && same_line(expected[head], found[head])) ++head;
  while (tail < shorter - head && same_line(expected[expected.size() - 1 - tail], found[found.size() - 1 - tail]))
    ++tail;
  const Lines a(expected.begin() + static_cast<std::ptrdiff_t>(head),
                expected.end() - static_cast<std::ptrdiff_t>(tail));
  const Lines b(found.begin() + static_cast<std::ptrdiff_t>(head), found.end() - static_cast<std::ptrdiff_t>(tail));
  if (a.empty() && b.empty()) return {};
  kernel::LinePairs pairs;
  if (!a.empty() && !b.empty()) pairs = kernel::kept_lines(a, b, same_line).value_or(pairs);
  pairs.emplace_back(a.size(), b.size());
  std::vector<LineHunk> hunks;
  std::size_t x = 0, y = 0;
  for (const auto& [i, j] : pairs) {
    if (i > x || j > y) hunks.push_back({head + x, i - x, head + y, j - y});
    x = i + 1;
    y = j + 1;
  }
  return hunks;
}

}  // namespace artifacts
