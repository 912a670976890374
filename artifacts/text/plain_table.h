#pragma once
// A table of plain text; each output format escapes it. Plain values.

#include <string>
#include <vector>

namespace artifacts {

struct PlainTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> right;  ///< Whether a column is aligned to the right; missing entries mean left.
};

/// One row, without a newline; claims quote it.
std::string markdown_row(const std::vector<std::string>& cells);
std::string markdown_table(const PlainTable&);
/// Lines ended by "\n", header first.
std::string csv_row(const std::vector<std::string>& cells);
std::string csv_table(const PlainTable&);

}  // namespace artifacts
