#include "agents/thinking/workspace/write_diff.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.h"

namespace agents {

namespace {

constexpr int context = 3, most_edits = 1000;

/// Lines with their ends, because a last line without one differs from one with it.
std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end == text.npos ? end : end + 1));
    text.remove_prefix(lines.back().size());
  }
  return lines;
}

using Lines = std::vector<std::string_view>;

/// Which lines of `a` stay. Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1 (1986). Beyond
/// `most_edits` no line stays.
struct Kept {
  std::vector<char> a, b;
};

Kept kept_lines(const Lines& a, const Lines& b) {
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
  Kept kept{std::vector<char>(a.size()), std::vector<char>(b.size())};
  const int most = std::min(n + m, most_edits);
  std::vector<int> reach(2 * static_cast<std::size_t>(most) + 3);
  const auto at = [&](int k) -> int& { return reach[static_cast<std::size_t>(k + most + 1)]; };
  std::vector<std::vector<int>> trace;
  for (int d = 0; d <= most; ++d) {
    trace.push_back(reach);
    for (int k = -d; k <= d; k += 2) {
      int x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      while (x < n && x - k < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)]) ++x;
      at(k) = x;
      if (x < n || x - k < m) continue;
      // Follow the path back to the start.
      for (int y = x - k; d >= 0; --d) {
        reach = trace[static_cast<std::size_t>(d)];
        const int own = x - y;
        const bool down = own == -d || (own != d && at(own - 1) < at(own + 1));
        const int from = d == 0 ? 0 : down ? at(own + 1) : at(own - 1);
        const int from_y = d == 0 ? 0 : from - (down ? own + 1 : own - 1);
        while (x > from && y > from_y) {
          kept.a[static_cast<std::size_t>(--x)] = 1;
          kept.b[static_cast<std::size_t>(--y)] = 1;
        }
        x = from;
        y = from_y;
      }
      return kept;
    }
  }
  return kept;
}

struct Edit {
  char kind;
  std::string_view line;
};

std::vector<Edit> edits_of(const Lines& a, const Lines& b) {
  const Kept kept = kept_lines(a, b);
  std::vector<Edit> edits;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && !kept.a[i])
      edits.push_back({'-', a[i++]});
    else if (j < b.size() && !kept.b[j])
      edits.push_back({'+', b[j++]});
    else {
      edits.push_back({' ', a[i]});
      ++i, ++j;
    }
  }
  return edits;
}

std::string hunk(const std::vector<Edit>& edits, std::size_t from, std::size_t to, int old_line, int new_line) {
  std::string body;
  int old_count = 0, new_count = 0;
  for (std::size_t i = from; i < to; ++i) {
    old_count += edits[i].kind != '+' ? 1 : 0;
    new_count += edits[i].kind != '-' ? 1 : 0;
    body += edits[i].kind + std::string(edits[i].line);
    if (!edits[i].line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
  // For an empty range, the line before it.
  return fmt::format("@@ -{},{} +{},{} @@\n{}", old_line - (old_count == 0 ? 1 : 0), old_count,
                     new_line - (new_count == 0 ? 1 : 0), new_count, body);
}

bool is_text(const std::optional<std::string>& text) {
  return !text || (kernel::valid_utf8(*text) && text->find('\0') == text->npos);
}

}  // namespace

std::string diff_of(const std::string& path, const std::optional<std::string>& before,
                    const std::optional<std::string>& after) {
  if (before == after) return "";
  const std::string names =
      fmt::format("--- {}\n+++ {}\n", before ? "a/" + path : "/dev/null", after ? "b/" + path : "/dev/null");
  if (!is_text(before) || !is_text(after)) return names + "Binary files differ\n";
  const Lines a = whole_lines(before ? *before : std::string_view()),
              b = whole_lines(after ? *after : std::string_view());
  const std::vector<Edit> edits = edits_of(a, b);
  std::string text = names;
  int old_line = 1, new_line = 1;
  for (std::size_t i = 0; i < edits.size();) {
    // Changes whose contexts overlap share a hunk.
    const std::size_t change =
        static_cast<std::size_t>(std::find_if(edits.begin() + static_cast<std::ptrdiff_t>(i), edits.end(),
                                              [](const Edit& e) { return e.kind != ' '; }) -
                                 edits.begin());
    if (change == edits.size()) break;
    const std::size_t from = std::max(i, change > context ? change - context : 0);
    old_line += static_cast<int>(from - i);
    new_line += static_cast<int>(from - i);
    std::size_t to = change, same = 0;
    while (to < edits.size() && same <= 2 * context) same = edits[to++].kind == ' ' ? same + 1 : 0;
    if (same > context) to -= same - context;
    text += hunk(edits, from, to, old_line, new_line);
    for (i = from; i < to; ++i) {
      old_line += edits[i].kind != '+' ? 1 : 0;
      new_line += edits[i].kind != '-' ? 1 : 0;
    }
  }
  return text;
}

}  // namespace agents
