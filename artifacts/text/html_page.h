#pragma once
// Our own Markdown as one page of HTML that needs nothing else: styles and pictures inside, no scripts, nothing
// fetched, and a policy that says so to the browser. Raw HTML in the Markdown is dropped. Thread-safe; pure.

#include <functional>
#include <string>
#include <vector>

namespace artifacts {

struct HtmlInput {
  std::string title;                 ///< Plain text.
  std::string markdown;              ///< CommonMark with tables.
  std::vector<std::string> anchors;  ///< Ids that headings `ID: …` get, and that table cells `ID: …` link to.
  bool alone = false;  ///< Nothing lies beside the page: links to files become plain text, and pictures their words.
  /// Bytes of a picture (SVG, PNG, JPEG by its name) whose path the HTML links so; empty: there is none to be put into
  /// the page. May be empty.
  std::function<std::string(const std::string& path)> picture{};
};

std::string html_page(const HtmlInput&);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace artifacts
