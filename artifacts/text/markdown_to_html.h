#pragma once
// Markdown as CommonMark with GitHub's tables: cmark's tree behind functions that say what is wanted of it.

#include <string>
#include <string_view>
#include <vector>

namespace artifacts {

/// HTML without raw HTML and odd links of the text's own. Throws std::runtime_error where it cannot be rendered.
std::string html_of_markdown(std::string_view markdown);

struct LinkTarget {
  std::string target;  ///< As written, without title; entities and backslashes resolved.
  int line = 0;
};
/// Of links and pictures, in order.
std::vector<LinkTarget> links_of_markdown(std::string_view markdown);

}  // namespace artifacts
