#include "prose/nearest.h"

#include <algorithm>

#include "prose/characters.h"

namespace prose {

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& here = rows[i][j];
      if (i == 0 || j == 0) {
        here = i + j;
        continue;
      }
      here = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) here = std::min(here, rows[i - 2][j - 2] + 1);
    }
  }
  return rows.back().back();
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 120;
  if (word.empty() || word.size() > longest) return "";
  constexpr std::size_t shortest = 3;
  std::string best;
  if (word.size() >= shortest)
    for (const std::string& candidate : candidates)
      if (candidate != word && lowered(candidate).starts_with(lowered(std::string(word)))) return candidate;
  std::size_t fewest = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest) continue;
    const std::size_t distance = edits(lowered(std::string(word)), lowered(candidate));
    if (distance < fewest && distance < word.size()) fewest = distance, best = candidate;
  }
  return best;
}

}  // namespace prose
