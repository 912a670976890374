#pragma once
// Renders CommonMark with GitHub's tables, by cmark, and makes one self-contained HTML page of our own Markdown: styles
// and pictures inside, nothing fetched, and a content security policy that says so. The only script is our own, which
// shows the values of pictures; without it the page is complete. Raw HTML in the Markdown is dropped. Thread-safe;
// pure.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts/text/escaping.h"

namespace artifacts {

/// The reports of artifacts before layout 3 stay as they were.
enum class PageStyle { before_layout_3, before_wording_11, newest };

/// What a picture shows: values at their places, in pixels of its canvas, and the table that follows it.
struct PictureReading {
  struct Value {
    double x = 0, y = 0;
    std::string text{};
  };
  int width = 0, height = 0;
  std::vector<Value> values{};
  PlainTable table{};
};

struct HtmlInput {
  std::string title;     ///< Plain text.
  std::string markdown;  ///< CommonMark with tables.
  std::vector<std::string>
      anchors{};  ///< Ids: headings `ID: …` get them as anchors, and table cells `ID: …` link to them.
  bool alone =
      false;  ///< No files are next to the page: links to files become plain text, and pictures their descriptions.
  /// Returns the bytes of a picture (SVG, PNG, JPEG by its name) to embed; empty bytes leave the link. The function may
  /// be empty.
  std::function<std::string(const std::string& path)> picture{};
  PageStyle style = PageStyle::newest;
  std::map<std::string, PictureReading> readings{};  ///< Of embedded pictures, by their paths.
};

/// Throws std::runtime_error if the Markdown cannot be rendered.
std::string html_page(const HtmlInput&);

struct LinkTarget {
  std::string target;  ///< As written, without the title; entities and backslashes are resolved.
  int line = 0;
};
/// The targets of links and pictures, in order.
std::vector<LinkTarget> links_of_markdown(std::string_view markdown);

}  // namespace artifacts
