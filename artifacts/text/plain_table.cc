#include "artifacts/text/plain_table.h"

#include "artifacts/text/escaping.h"

namespace artifacts {

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += " " + in_markdown(cell) + " |";
  return row;
}

std::string markdown_table(const PlainTable& table) {
  std::string text = markdown_row(table.header) + "\n|";
  for (std::size_t i = 0; i < table.header.size(); ++i)
    text += i < table.right.size() && table.right[i] ? "---:|" : "---|";
  text += "\n";
  for (const auto& row : table.rows) text += markdown_row(row) + "\n";
  return text;
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) row += (i ? "," : "") + in_csv(cells[i]);
  return row + "\n";
}

std::string csv_table(const PlainTable& table) {
  std::string text = csv_row(table.header);
  for (const auto& row : table.rows) text += csv_row(row);
  return text;
}

}  // namespace artifacts
