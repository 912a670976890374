#include "apps/cli/terminal/table.h"

#include <algorithm>
#include <sstream>

#include "base/assert.h"

namespace cli {

namespace {

constexpr int gap = 2;

std::vector<std::string> lines_of(const TableCell& cell, const Column& column, int width) {
  if (!column.wraps) return {cut(cell.text, width)};
  std::vector<std::string> lines;
  std::istringstream text(wrapped(cell.text, width, 0));
  for (std::string line; std::getline(text, line);) lines.push_back(cut(line, width));
  return lines;
}

std::string padded(const std::string& text, const TableCell& cell, const Column& column, int width, bool colour) {
  const std::string space(static_cast<std::size_t>(std::max(0, width - columns_of(text))), ' ');
  const std::string painted = paint(text, cell.style, colour);
  return column.align == Column::Align::right ? space + painted : painted + space;
}

/// Columns of a row.
int total(const std::vector<std::optional<int>>& width) {
  int sum = 0;
  for (const std::optional<int>& one : width)
    if (one) sum += *one + gap;
  return std::max(0, sum - gap);
}

}  // namespace

void Table::add(std::vector<TableCell> cells) {
  ETUDE_ASSERT(cells.size() == columns_.size());
  for (TableCell& cell : cells) cell.text = one_line(cell.text);
  rows_.push_back(std::move(cells));
}

std::vector<std::optional<int>> Table::widths(int limit) const {
  std::vector<std::optional<int>> width;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    int widest = columns_of(columns_[i].title);
    for (const std::vector<TableCell>& row : rows_) widest = std::max(widest, columns_of(row[i].text));
    width.push_back(widest);
  }
  if (limit == 0) return width;
  // A cell that is cut loses text anyway; one that is wrapped makes rows of several lines, which is the last resort.
  const auto with_cuts = [&] {
    std::vector<std::optional<int>> cut = width;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (const Column& column = columns_[i]; cut[i] && column.least > 0 && !column.wraps)
        cut[i] = std::min(*cut[i], column.least);
    return total(cut);
  };
  while (with_cuts() > limit) {
    std::size_t first = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (width[i] && columns_[i].leaves > (first == columns_.size() ? 0 : columns_[first].leaves)) first = i;
    if (first == columns_.size()) break;
    width[first].reset();
  }
  int over = total(width) - limit;
  for (const bool wrapping : {false, true})
    for (; over > 0; --over) {
      std::size_t widest = columns_.size();
      for (std::size_t i = 0; i < columns_.size(); ++i)
        if (width[i] && columns_[i].wraps == wrapping && columns_[i].least > 0 && *width[i] > columns_[i].least &&
            (widest == columns_.size() || *width[i] > *width[widest]))
          widest = i;
      if (widest == columns_.size()) break;
      --*width[widest];
    }
  return width;
}

bool Table::fits(const Screen& screen) const {
  return screen.width == 0 || total(widths(screen.width)) <= screen.width;
}

std::string Table::text(const Screen& screen) const {
  const std::vector<std::optional<int>> width = widths(screen.width);
  std::string out;
  const auto row = [&](const auto& cell_of) {
    std::vector<std::vector<std::string>> cells;
    std::size_t lines = 1;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      cells.push_back(width[i] ? lines_of(cell_of(i), columns_[i], *width[i]) : std::vector<std::string>());
      lines = std::max(lines, cells.back().size());
    }
    for (std::size_t at = 0; at < lines; ++at) {
      std::string line;
      for (std::size_t i = 0; i < columns_.size(); ++i)
        if (width[i])
          line += padded(at < cells[i].size() ? cells[i][at] : "", cell_of(i), columns_[i], *width[i], screen.colour) +
                  std::string(gap, ' ');
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  };
  row([&](std::size_t i) { return TableCell(columns_[i].title, TextStyle::strong); });
  for (const std::vector<TableCell>& cells : rows_) row([&](std::size_t i) -> const TableCell& { return cells[i]; });
  return out;
}

}  // namespace cli
