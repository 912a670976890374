#include "artifacts/text/html_page.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/text/parsed_markdown.h"
#include "artifacts/text/untrusted_text.h"
#include "base/digest.h"
#include "embedded/templates.h"

namespace artifacts {
namespace {

/// In one pass, because a page of tables may have many of them.
void replace_all(std::string& text, const std::string& from, const std::string& to) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, done)) {
    out.append(text, done, at - done) += to;
    done = at + from.size();
  }
  if (done > 0) text = out.append(text, done);
}

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

const char* picture_type(const std::string& path) {
  if (path.ends_with(".png")) return "image/png";
  if (path.ends_with(".jpg") || path.ends_with(".jpeg")) return "image/jpeg";
  return "image/svg+xml";
}

/// The value of an attribute.
std::string_view attribute(std::string_view tag, std::string_view name) {
  const std::size_t at = tag.find(fmt::format(" {}=\"", name));
  if (at == tag.npos) return {};
  tag.remove_prefix(at + name.size() + 3);
  return tag.substr(0, tag.find('"'));
}

/// One pass over the tags of a page. Headings `ID: …` become anchors, cells `ID: …` links to them, and pictures are
/// embedded. If the page is alone, links to files become their text, and missing pictures their descriptions.
class Tags {
 public:
  explicit Tags(const HtmlInput& input) : input_(input) {
    for (const std::string& anchor : input.anchors) ids_.insert(in_html(anchor));
  }

  std::string dressed(std::string_view html) {
    std::string out;
    while (!html.empty()) {
      const std::size_t at = std::min(html.find('<'), html.size());
      out += html.substr(0, at);
      html.remove_prefix(at);
      if (html.empty()) break;
      const std::string_view tag = html.substr(0, html.find('>') + 1);
      html.remove_prefix(tag.size());
      out += of_tag(tag, html);
    }
    return out;
  }

 private:
  std::string of_tag(std::string_view tag, std::string_view& rest) {
    if (tag == "<h3>" || tag == "<td>") return place(tag, rest);
    if (tag.starts_with("<img ")) return picture(tag);
    if (tag.starts_with("<a ") && input_.alone) {
      const std::string_view target = attribute(tag, "href");
      dropped_ = !(target.starts_with("#") || target.starts_with("https://") || target.starts_with("http://"));
      return dropped_ ? "" : std::string(tag);
    }
    if (tag == "</a>" && std::exchange(dropped_, false)) return "";
    // The picture's own paragraph ends, then that of its caption.
    if (tag == "</p>" && table_ && ++paragraphs_ == 2)
      return std::string(tag) + "\n" + values_of(*std::exchange(table_, nullptr));
    return std::string(tag);
  }

  static std::string values_of(const PlainTable& table) {
    constexpr std::size_t most_rows = 200;
    std::string out = "<details><summary>Values of this figure</summary><div class=\"scroll\"><table><thead><tr>";
    for (const std::string& cell : table.header) out += fmt::format("<th>{}</th>", in_html(cell));
    out += "</tr></thead><tbody>";
    for (std::size_t i = 0; i < std::min(table.rows.size(), most_rows); ++i) {
      out += "<tr>";
      for (const std::string& cell : table.rows[i]) out += fmt::format("<td>{}</td>", in_html(cell));
      out += "</tr>";
    }
    out += "</tbody></table></div>";
    if (table.rows.size() > most_rows)
      out += fmt::format("<p>and {} more in its CSV file</p>", table.rows.size() - most_rows);
    return out + "</details>";
  }

  /// As JSON that nothing in it can leave.
  static std::string placed(const PictureReading& reading) {
    std::string out = fmt::format("[{},{},[", reading.width, reading.height);
    for (const PictureReading::Value& value : reading.values) {
      if (out.back() != '[') out += ',';
      out += fmt::format("[{:.1f},{:.1f},\"", value.x, value.y);
      for (const char c : printable(value.text))
        if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\\')
          out += fmt::format("\\u{:04x}", static_cast<int>(c));
        else
          out += c;
      out += "\"]";
    }
    return out + "]]";
  }

  /// The text stays; a heading gets the id, a cell a link around it.
  std::string place(std::string_view tag, std::string_view& rest) {
    const std::string id(rest.substr(0, std::min(rest.find(": "), rest.find('<'))));
    if (id.empty() || !rest.substr(id.size()).starts_with(": ") || !ids_.contains(id)) return std::string(tag);
    if (tag == "<h3>") return fmt::format("<h3 id=\"{}\">", id);
    rest.remove_prefix(id.size());
    return fmt::format("<td><a href=\"#{0}\">{0}</a>", id);
  }

  std::string picture(std::string_view tag) {
    const std::string path(attribute(tag, "src"));
    const std::string bytes = input_.picture ? input_.picture(path) : "";
    if (bytes.empty()) return input_.alone ? std::string(attribute(tag, "alt")) : std::string(tag);
    std::string dressed(tag);
    const std::size_t at = dressed.find("src=\"") + 5;
    dressed.replace(at, path.size(), fmt::format("data:{};base64,{}", picture_type(path), kernel::base64(bytes)));
    const auto reading = input_.readings.find(path);
    if (reading == input_.readings.end()) return dressed;
    table_ = &reading->second.table;
    paragraphs_ = 0;
    return fmt::format("<span class=\"plot\">{}<script type=\"application/json\">{}</script></span>", dressed,
                       placed(reading->second));
  }

  const HtmlInput& input_;
  std::set<std::string> ids_;
  bool dropped_ = false;               ///< The open link was removed.
  const PlainTable* table_ = nullptr;  ///< Of the picture whose caption has not ended.
  int paragraphs_ = 0;                 ///< That ended since that picture began.
};

/// Adds what CommonMark cannot express: marks on verdicts, tables that scroll. Text of others cannot fake these,
/// because its angle brackets are escaped.
void dress(std::string& html, PageStyle page) {
  struct Mark {
    const char *verdict, *sign, *style;
  };
  for (const auto& [verdict, sign, style] :
       {Mark{"supported", "✔", "supported"}, Mark{"refuted", "✘", "refuted"},
        Mark{"no relevant effect", "≈", "refuted"},
        Mark{"inconclusive", page == PageStyle::newest ? "~" : "?", "inconclusive"},
        Mark{"withdrawn", "–", "withdrawn"}}) {
    const std::string mark =
        fmt::format("<span class=\"verdict {}\"><span aria-hidden=\"true\">{}</span> {}</span>", style, sign, verdict);
    replace_all(html, fmt::format("<td>{}</td>", verdict), "<td>" + mark + "</td>");
    replace_all(html, fmt::format("<p><strong>{}.</strong>", verdict), "<p>" + mark);
  }
  replace_all(html, "<table>", "<div class=\"scroll\"><table>");
  replace_all(html, "</table>", "</table></div>");
  replace_all(html, "<h2>Verdicts</h2>\n<div class=\"scroll\">", "<h2>Verdicts</h2>\n<div class=\"scroll verdicts\">");
  replace_all(html, "<h2>Read this first</h2>\n<ul>",
              "<h2 class=\"caution\">Read this first</h2>\n<ul class=\"caution\">");
}

/// Fills `{{name}}` in one pass, so that values are not searched again.
std::string filled(std::string_view page, const std::map<std::string, std::string>& values) {
  std::string out;
  while (true) {
    const std::size_t open = page.find("{{");
    const std::size_t close = open == std::string_view::npos ? open : page.find("}}", open);
    if (close == std::string_view::npos) return out += page;
    out += page.substr(0, open);
    out += values.at(std::string(page.substr(open + 2, close - open - 2)));
    page.remove_prefix(close + 2);
  }
}

std::string html_of_markdown(std::string_view markdown) {
  const ParsedMarkdown p = parsed_markdown(markdown);
  const Owned<char, std::free> html(
      cmark_render_html(p.document.get(), markdown_options, cmark_parser_get_syntax_extensions(p.parser.get())));
  if (!html) throw std::runtime_error("the Markdown could not be rendered");
  return html.get();
}

}  // namespace

std::vector<LinkTarget> links_of_markdown(std::string_view markdown) {
  const ParsedMarkdown p = parsed_markdown(markdown);
  std::vector<LinkTarget> links;
  const Owned<cmark_iter, cmark_iter_free> walk(cmark_iter_new(p.document.get()));
  int line = 1;
  for (cmark_event_type event; (event = cmark_iter_next(walk.get())) != CMARK_EVENT_DONE;) {
    cmark_node* node = cmark_iter_get_node(walk.get());
    if (event != CMARK_EVENT_ENTER) continue;
    // Some inline nodes have no position; then the position of the node before is used.
    line = std::max(line, cmark_node_get_start_line(node));
    const cmark_node_type type = cmark_node_get_type(node);
    if (type != CMARK_NODE_LINK && type != CMARK_NODE_IMAGE) continue;
    const char* url = cmark_node_get_url(node);
    links.push_back({url ? url : "", line});
  }
  return links;
}

std::string html_page(const HtmlInput& input) {
  std::string body = Tags(input).dressed(html_of_markdown(input.markdown));
  dress(body, input.style);
  const bool newest = input.style != PageStyle::before_layout_3;
  const auto hash = [](const std::string& text) { return kernel::base64(bytes_of_hex(kernel::sha256_hex(text))); };
  const std::string style(embedded::templates(newest ? "report.css" : "report_before_layout_3.css"));
  const std::string script = input.readings.empty() ? "" : std::string(embedded::templates("report.js"));
  return filled(embedded::templates(newest ? "report.html" : "report_before_layout_3.html"),
                {{"title", in_html(input.title)},
                 {"style", style},
                 {"style_hash", hash(style)},
                 {"script", script.empty() ? "" : "<script>" + script + "</script>\n"},
                 {"script_policy", script.empty() ? "" : fmt::format(" script-src 'sha256-{}';", hash(script))},
                 {"body", body}});
}

}  // namespace artifacts
