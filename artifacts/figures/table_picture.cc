#include <algorithm>

#include <fmt/format.h>

#include "artifacts/figures/figures.h"
#include "artifacts/text/escaping.h"

namespace artifacts {

Drawing table_picture(const std::string& name, const std::string& title, const PlainTable& table) {
  constexpr std::size_t most_rows = 60, most_characters = 34;
  constexpr double character = 6.9, row = 22, margin = 16;
  std::vector<double> left{margin};
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    std::size_t longest = table.header[c].size() + table.header[c].size() / 6 + 1;  // Bold is wider.
    for (std::size_t r = 0; r < std::min(table.rows.size(), most_rows); ++r)
      longest = std::max(longest, std::min(table.rows[r][c].size(), most_characters));
    left.push_back(left.back() + static_cast<double>(longest) * character + 14);
  }
  const std::size_t rows = std::min(table.rows.size(), most_rows);
  Drawing drawing;
  drawing.name = name;
  drawing.width = std::max(320, static_cast<int>(left.back() + margin));
  drawing.height = static_cast<int>(static_cast<double>(rows + 3) * row + margin);
  const auto x = [&](double pixel) { return pixel / drawing.width; };
  const auto y = [&](double pixel) { return 1 - pixel / drawing.height; };
  std::string& out = drawing.commands;
  out = "unset border; unset tics; unset key; set lmargin 0; set rmargin 0; set tmargin 0; set bmargin 0\n";
  out += fmt::format("set label {} at screen {:.4f}, screen {:.4f} left font ',12'\n", in_gnuplot(title, 120),
                     x(margin), y(row));
  const auto line = [&](const std::vector<std::string>& cells, std::size_t at, const char* font) {
    for (std::size_t c = 0; c < table.header.size(); ++c)
      out += fmt::format("set label {} at screen {:.4f}, screen {:.4f} left font '{}'\n",
                         in_gnuplot(cells[c], most_characters), x(left[c]), y(static_cast<double>(at) * row), font);
  };
  line(table.header, 2, "DejaVu Sans:Bold,10");
  out += fmt::format(
      "set arrow from screen {0:.4f}, screen {2:.4f} to screen {1:.4f}, screen {2:.4f} nohead lw 1 lc rgb "
      "'#444444'\n",
      x(margin), x(drawing.width - margin), y(2.55 * row));
  for (std::size_t r = 0; r < rows; ++r) line(table.rows[r], r + 3, ",10");
  out += "plot [0:1][0:1] -1 notitle";
  return drawing;
}

}  // namespace artifacts
