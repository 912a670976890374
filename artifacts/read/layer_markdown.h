#pragma once
// Cuts a Markdown file into headings, `**Name**:` fields, tables and prose, each with its line. Keeps the Markdown
// inside them raw (formulas, links), which is why it is no CommonMark tree. Skips fenced code and HTML comments.
// Knows nothing of claims or experiments.

#include <string>
#include <string_view>
#include <vector>

#include "artifacts/read/model.h"

namespace artifacts {

Layer scan_markdown(std::string_view text, const std::string& file, int first_line = 1);

/// `[text](target)`; the first of a piece of Markdown, or an empty target.
struct Link {
  std::string text;
  std::string target;
  std::size_t begin = 0, end = 0;  ///< Bytes that the link takes up.
};
Link first_link(std::string_view markdown);

}  // namespace artifacts
