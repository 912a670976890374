#pragma once
// Our own Markdown as one page of HTML that needs nothing else: styles and pictures inside, no scripts, nothing
// fetched, and a policy that says so to the browser. Raw HTML in the Markdown is dropped. Thread-safe; pure.

#include <map>
#include <string>
#include <vector>

namespace artifacts {

struct HtmlInput {
  std::string title;                            ///< Plain text.
  std::string markdown;                         ///< CommonMark with tables.
  std::map<std::string, std::string> pictures;  ///< Path as the Markdown links it → bytes: SVG, PNG, JPEG by its name.
  std::vector<std::string> anchors;  ///< Ids that headings `ID: …` get, and that table cells `ID: …` link to.
  bool alone = false;                ///< Nothing lies beside the page: links to files become plain text.
};

std::string html_page(const HtmlInput&);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace artifacts
