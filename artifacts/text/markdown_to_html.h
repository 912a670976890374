#pragma once
// Renders CommonMark with GitHub's tables, by cmark.

#include <string>
#include <string_view>
#include <vector>

namespace artifacts {

/// HTML without the text's raw HTML and unsafe links. Throws std::runtime_error if it cannot be rendered.
std::string html_of_markdown(std::string_view markdown);

struct LinkTarget {
  std::string target;  ///< As written, without the title; entities and backslashes are resolved.
  int line = 0;
};
/// The targets of links and pictures, in order.
std::vector<LinkTarget> links_of_markdown(std::string_view markdown);

}  // namespace artifacts
