#include "artifacts/html_page.h"

#include <fmt/format.h>

#include "artifacts/commonmark.h"
#include "artifacts/escaping.h"
#include "embedded/templates.h"
#include "kernel/digest.h"

namespace artifacts {

namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
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

/// Links that lead to a place of the page or of the web stay; of others the text does, and of pictures their words.
std::string without_files(std::string_view html) {
  std::string out;
  bool open = false;
  while (!html.empty()) {
    const std::size_t at = std::min(html.find("<a href=\""), html.find(open ? "</a>" : "<a href=\""));
    if (at == html.npos) break;
    out += html.substr(0, at);
    html.remove_prefix(at);
    const std::size_t end = html.find('>') + 1;
    const std::string_view tag = html.substr(0, end), target = tag.substr(std::min<std::size_t>(9, tag.size()));
    const bool stays = target.starts_with("#") || target.starts_with("https://") || target.starts_with("http://");
    if (tag == "</a>")
      open = false;
    else if (stays)
      out += tag;
    else
      open = true;
    html.remove_prefix(end);
  }
  return out += html;
}

/// What CommonMark cannot say: marks on verdicts, tables that scroll, links from a table to its paragraph. Text from
/// elsewhere cannot forge any of these, since its angle brackets are escaped.
void dress(std::string& html, const HtmlInput& input) {
  for (const auto& [verdict, sign] :
       {std::pair{"supported", "✔"}, {"refuted", "✘"}, {"inconclusive", "?"}, {"withdrawn", "–"}}) {
    const std::string mark =
        fmt::format("<span class=\"verdict {0}\"><span aria-hidden=\"true\">{1}</span> {0}</span>", verdict, sign);
    replace_all(html, fmt::format("<td>{}</td>", verdict), "<td>" + mark + "</td>");
    replace_all(html, fmt::format("<p><strong>{}.</strong>", verdict), "<p>" + mark);
  }
  for (const std::string& anchor : input.anchors) {
    const std::string id = in_html(anchor);
    replace_all(html, "<h3>" + id + ": ", fmt::format("<h3 id=\"{0}\">{0}: ", id));
    replace_all(html, "<td>" + id + ": ", fmt::format("<td><a href=\"#{0}\">{0}</a>: ", id));
  }
  replace_all(html, "<table>", "<div class=\"scroll\"><table>");
  replace_all(html, "</table>", "</table></div>");
  replace_all(html, "<h2>Verdicts</h2>\n<div class=\"scroll\">", "<h2>Verdicts</h2>\n<div class=\"scroll verdicts\">");
  replace_all(html, "<h2>Read this first</h2>\n<ul>",
              "<h2 class=\"caution\">Read this first</h2>\n<ul class=\"caution\">");
  for (const auto& [path, bytes] : input.pictures)
    replace_all(html, "src=\"" + in_html(path) + "\"",
                fmt::format("src=\"data:{};base64,{}\"", picture_type(path), base64(bytes)));
  if (input.alone) html = without_files(html);
}

/// Fills `{{name}}` in one pass, so that what is filled in is never looked at again.
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

}  // namespace

std::string base64(std::string_view bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned value = 0;
    for (std::size_t k = 0; k < 3; ++k)
      value = value << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : digits[value >> (18 - 6 * k) & 63];
  }
  return out;
}

std::string html_page(const HtmlInput& input) {
  std::string body = html_of_markdown(input.markdown);
  dress(body, input);
  const std::string style(embedded::templates("report.css"));
  return filled(embedded::templates("report.html"), {{"title", in_html(input.title)},
                                                     {"style", style},
                                                     {"style_hash", base64(bytes_of_hex(kernel::sha256_hex(style)))},
                                                     {"body", body}});
}

}  // namespace artifacts
