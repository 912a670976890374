#pragma once
// Splits a Markdown file into headings, `**Name**:` fields, tables and prose, each with its line. Keeps the Markdown
// inside them (formulas, links), which a CommonMark tree would not. Skips fenced code and HTML comments. Knows nothing
// of claims or experiments.

#include <string>
#include <string_view>

#include "artifacts/read/model.h"

namespace artifacts {

Layer scan_markdown(std::string_view text, const std::string& file, int first_line = 1);

/// The first `[text](target)` of a piece of Markdown; without one, the target is empty.
struct Link {
  std::string text;
  std::string target;
  std::size_t begin = 0, end = 0;  ///< Range of bytes.
};
Link first_link(std::string_view markdown);

}  // namespace artifacts
