#include "apps/cli/terminal/table.h"

#include "base/assert.h"

namespace cli {

namespace {

constexpr int gap = 2;

void put(const TableCell& cell, const Column& column, int width, bool last, bool colour, std::string& out) {
  const std::string text = cut(cell.text, width);
  const std::string space(static_cast<std::size_t>(std::max(0, width - columns_of(text))), ' ');
  if (column.align == Column::Align::right) out += space;
  out += paint(text, cell.style, colour);
  if (column.align == Column::Align::left && !last) out += space;
  if (!last) out += std::string(gap, ' ');
}

}  // namespace

void Table::add(std::vector<TableCell> cells) {
  ETUDE_ASSERT(cells.size() == columns_.size());
  for (TableCell& cell : cells) cell.text = one_line(cell.text);
  rows_.push_back(std::move(cells));
}

std::vector<int> Table::widths(int limit) const {
  std::vector<int> width;
  int total = gap * (static_cast<int>(columns_.size()) - 1);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    int widest = columns_of(columns_[i].title);
    for (const std::vector<TableCell>& row : rows_) widest = std::max(widest, columns_of(row[i].text));
    width.push_back(widest);
    total += widest;
  }
  while (limit > 0 && total > limit) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].least > 0 && width[i] > columns_[i].least &&
          (widest == columns_.size() || width[i] > width[widest]))
        widest = i;
    if (widest == columns_.size()) break;
    --width[widest];
    --total;
  }
  return width;
}

std::string Table::text(const Screen& screen) const {
  const std::vector<int> width = widths(screen.width);
  std::string out;
  const auto row = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      put(cell_of(i), columns_[i], width[i], i + 1 == columns_.size(), screen.colour, line);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  row([&](std::size_t i) { return TableCell(columns_[i].title, TextStyle::strong); });
  for (const std::vector<TableCell>& cells : rows_) row([&](std::size_t i) -> const TableCell& { return cells[i]; });
  return out;
}

}  // namespace cli
