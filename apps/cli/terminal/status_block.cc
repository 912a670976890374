#include "apps/cli/terminal/status_block.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "apps/cli/terminal/terminal_text.h"

namespace cli {

std::string erasing(const std::vector<int>& widths, int columns) {
  if (widths.empty()) return "";
  int rows = 0;
  for (const int width : widths) rows += std::max(1, (width + columns - 1) / columns);
  return rows > 1 ? fmt::format("\r\033[{}A\033[J", rows - 1) : "\r\033[J";
}

void StatusBlock::show(const std::vector<std::string>& lines) {
  const int columns = terminal_width(STDERR_FILENO);
  std::string text = erasing(widths_, columns);
  widths_.clear();
  for (const std::string& line : lines) {
    const std::string fitting = cut(line, std::max(20, columns - 1));
    text += (widths_.empty() ? "" : "\n") + fitting;
    widths_.push_back(columns_of(fitting));
  }
  print_text(text, stderr);
  std::fflush(stderr);
}

void StatusBlock::clear() {
  if (widths_.empty()) return;
  std::fputs(erasing(widths_, terminal_width(STDERR_FILENO)).c_str(), stderr);
  std::fflush(stderr);
  widths_.clear();
}

}  // namespace cli
