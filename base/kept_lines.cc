#include "base/kept_lines.h"

#include <algorithm>

namespace kernel {

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

std::optional<LinePairs> kept_lines(const Lines& a, const Lines& b, bool (*same)(std::string_view, std::string_view)) {
  constexpr int most_differences = 1000;
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
  const int most = std::min(n + m, most_differences);
  std::vector<int> reach(2 * static_cast<std::size_t>(most) + 3);
  const auto at = [&](int k) -> int& { return reach[static_cast<std::size_t>(k + most + 1)]; };
  std::vector<std::vector<int>> trace;
  for (int d = 0; d <= most; ++d) {
    trace.push_back(reach);
    for (int k = -d; k <= d; k += 2) {
      int x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      while (x < n && x - k < m && same(a[static_cast<std::size_t>(x)], b[static_cast<std::size_t>(x - k)])) ++x;
      at(k) = x;
      if (x < n || x - k < m) continue;
      // Back along the way that led here.
      LinePairs pairs;
      for (int y = x - k; d >= 0; --d) {
        reach = trace[static_cast<std::size_t>(d)];
        const int own = x - y;
        const bool down = own == -d || (own != d && at(own - 1) < at(own + 1));
        const int from = d == 0 ? 0 : down ? at(own + 1) : at(own - 1);
        const int from_y = d == 0 ? 0 : from - (down ? own + 1 : own - 1);
        while (x > from && y > from_y) pairs.emplace_back(static_cast<std::size_t>(--x), static_cast<std::size_t>(--y));
        x = from;
        y = from_y;
      }
      std::ranges::reverse(pairs);
      return pairs;
    }
  }
  return std::nullopt;
}

}  // namespace kernel
