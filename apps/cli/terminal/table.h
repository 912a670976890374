#pragma once
// Text tables with aligned columns, fitted to the terminal. If rows are too wide, the columns that may be left out are
// left out, the least important first; then those that may shrink are wrapped or cut. Every cut shows as `…`, and no
// row is left out. Knows nothing of what the cells mean.

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/terminal/terminal_text.h"

namespace cli {

struct TableCell {
  std::string text;  ///< Any bytes; shown on one line.
  TextStyle style = TextStyle::plain;

  TableCell(std::string content, TextStyle in = TextStyle::plain) : text(std::move(content)), style(in) {}
  TableCell(const char* content) : text(content) {}
};

struct Column {
  std::string title;
  enum class Align { left, right } align = Align::left;
  int least = 0;       ///< May shrink to this many columns; 0 if it never shrinks.
  bool wraps = false;  ///< Shrunk, it continues on further lines instead of being cut.
  int leaves = 0;      ///< Of the columns that may be left out, the greatest goes first; 0 if it always stays.
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Precondition: one cell per column.
  void add(std::vector<TableCell> cells);
  bool empty() const { return rows_.empty(); }
  /// Whether no row is wider than the screen, once all columns have shrunk as they may.
  bool fits(const Screen&) const;
  /// With a heading, and a newline after every row.
  std::string text(const Screen&) const;

 private:
  /// None for a column that is left out.
  std::vector<std::optional<int>> widths(int limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<TableCell>> rows_;
};

}  // namespace cli
