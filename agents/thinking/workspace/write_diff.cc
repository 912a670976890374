#include "agents/thinking/workspace/write_diff.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/kept_lines.h"
#include "base/utf8.h"

namespace agents {

namespace {

constexpr int context = 3;

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

using kernel::Lines;

struct Edit {
  char kind;
  std::string_view line;
};

std::vector<Edit> edits_of(const Lines& a, const Lines& b) {
  kernel::LinePairs kept = kernel::kept_lines(a, b, [](std::string_view x, std::string_view y) {
                             return x == y;
                           }).value_or(kernel::LinePairs());
  kept.emplace_back(a.size(), b.size());
  std::vector<Edit> edits;
  std::size_t i = 0, j = 0;
  for (const auto& [in_a, in_b] : kept) {
    while (i < in_a) edits.push_back({'-', a[i++]});
    while (j < in_b) edits.push_back({'+', b[j++]});
    if (i < a.size()) edits.push_back({' ', a[i++]}), ++j;
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
