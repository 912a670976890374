#include "artifacts/text/line_diff.h"

#include <algorithm>
#include <optional>

namespace artifacts {

namespace {

constexpr std::ptrdiff_t most_differences = 1000;

std::string_view without_end(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t\r");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

bool same_line(std::string_view a, std::string_view b) {
  return a == b || without_end(a) == without_end(b);
}

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

class Comparison {
 public:
  Comparison(const Lines& a, const Lines& b)
      : a_(a),
        b_(b),
        n_(static_cast<std::ptrdiff_t>(a.size())),
        m_(static_cast<std::ptrdiff_t>(b.size())),
        most_(std::min(n_ + m_, most_differences)),
        furthest_(static_cast<std::size_t>(2 * most_ + 3), 0) {}

  /// The pairs of lines that stay, in order; none if too much differs.
  std::optional<Pairs> kept() {
    for (std::ptrdiff_t d = 0; d <= most_; ++d) {
      // Diagonals -d-1 to d+1 before this step.
      before_.emplace_back(furthest_.begin() + (most_ - d), furthest_.begin() + (most_ + d + 3));
      for (std::ptrdiff_t k = -d; k <= d; k += 2) {
        const std::ptrdiff_t from = came_from(k, d);
        std::ptrdiff_t x = was(d, from) + (from < k ? 1 : 0);
        while (x < n_ && x - k < m_ && same(x, x - k)) ++x;
        furthest_[static_cast<std::size_t>(k + most_ + 1)] = x;
        if (x >= n_ && x - k >= m_) return way_back(d);
      }
    }
    return std::nullopt;
  }

 private:
  bool same(std::ptrdiff_t x, std::ptrdiff_t y) const {
    return same_line(a_[static_cast<std::size_t>(x)], b_[static_cast<std::size_t>(y)]);
  }
  std::ptrdiff_t was(std::ptrdiff_t d, std::ptrdiff_t k) const {
    return before_[static_cast<std::size_t>(d)][static_cast<std::size_t>(k + d + 1)];
  }
  /// The diagonal from which step `d` reaches this one.
  std::ptrdiff_t came_from(std::ptrdiff_t k, std::ptrdiff_t d) const {
    return k == -d || (k != d && was(d, k - 1) < was(d, k + 1)) ? k + 1 : k - 1;
  }

  Pairs way_back(std::ptrdiff_t d) const {
    Pairs pairs;
    std::ptrdiff_t x = n_, y = m_;
    for (; d >= 0; --d) {
      const std::ptrdiff_t from = came_from(x - y, d);
      const std::ptrdiff_t x0 = was(d, from), y0 = x0 - from;
      while (x > x0 && y > y0) pairs.emplace_back(static_cast<std::size_t>(--x), static_cast<std::size_t>(--y));
      x = x0;
      y = y0;
    }
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
  }

  const Lines& a_;
  const Lines& b_;
  const std::ptrdiff_t n_, m_, most_;
  std::vector<std::ptrdiff_t> furthest_;
  std::vector<std::vector<std::ptrdiff_t>> before_;
};

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
  Pairs pairs = a.empty() || b.empty() ? Pairs() : Comparison(a, b).kept().value_or(Pairs());
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
