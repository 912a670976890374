#pragma once
// A table of plain text, not yet in any format: each output escapes it in its own way. Plain values.

#include <string>
#include <vector>

namespace artifacts {

struct PlainTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> right;  ///< Columns aligned to the right; missing entries are left.
};

/// One row, without a newline; what a claim quotes.
std::string markdown_row(const std::vector<std::string>& cells);
std::string markdown_table(const PlainTable&);
/// Lines ended by "\n", header first.
std::string csv_row(const std::vector<std::string>& cells);
std::string csv_table(const PlainTable&);

}  // namespace artifacts
