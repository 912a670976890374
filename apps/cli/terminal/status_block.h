#pragma once
// Lines at the end of a terminal's output that are drawn again and again. Knows nothing of studies. One thread.

#include <string>
#include <vector>

namespace cli {

class StatusBlock {
 public:
  /// Draws on standard error, in place of the lines that it shows. Each is cut to the terminal's width.
  void show(const std::vector<std::string>& lines);
  /// Removes the lines.
  void clear();
  bool shown() const { return !widths_.empty(); }

 private:
  std::vector<int> widths_;  ///< Columns of the lines as they were drawn: a narrower terminal breaks them.
};

/// What removes lines of these widths from a terminal of `columns`, if the cursor is at the end of the last.
std::string erasing(const std::vector<int>& widths, int columns);

}  // namespace cli
