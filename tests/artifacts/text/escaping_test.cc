#include "artifacts/text/escaping.h"

#include <memory>

#include <catch2/catch.hpp>

#include "artifacts/text/html_page.h"
#include "tests/cost.h"

using namespace artifacts;

namespace {

std::string body_of(const std::string& markdown) {
  const std::string page = html_page({"t", markdown, {}, false, {}});
  const auto from = page.find("<main>") + 7, to = page.find("</main>");
  return page.substr(from, to - from);
}

}  // namespace

TEST_CASE("text in Markdown reads as itself whatever it holds") {
  for (const char* text : {"**bold** _under_ `code`", "[link](http://x.test)", "a | b", "<script>alert(1)</script>",
                           "&amp; &#60;", "![image](x.svg)", "~~gone~~", "# heading #", "C:\\dir\\*", "snake_case_name",
                           "[a]: http://x.test", "<!-- hidden -->", "$x$"}) {
    CAPTURE(text);
    std::string expected = in_html(text);
    // Where text is no attribute, quotes need no escaping.
    for (std::size_t at; (at = expected.find("&#39;")) != std::string::npos;) expected.replace(at, 5, "'");
    CHECK(body_of("x " + in_markdown(text)) == "<p>x " + expected + "</p>\n");
    CHECK(body_of(markdown_table({{"H"}, {{text}}, {}})).find("<td>" + expected + "</td>") != std::string::npos);
    CHECK(body_of("## " + in_markdown(text)) == "<h2>" + expected + "</h2>\n");
  }
}

TEST_CASE("text with several lines becomes one") {
  CHECK(in_markdown("a\nb\tc") == "a b c");
  CHECK(in_csv("a\r\nb").find('\n') == std::string::npos);
  CHECK(in_gnuplot("a\nb") == "'a b'");
}

TEST_CASE("a code span is longer than any run of back-ticks in it") {
  CHECK(body_of(in_code("a `` b")) == "<p><code>a `` b</code></p>\n");
  CHECK(body_of(in_code("`")) == "<p><code>`</code></p>\n");
}

TEST_CASE("a CSV field is quoted where it must be") {
  CHECK(in_csv("plain") == "plain");
  CHECK(in_csv("a,b") == "\"a,b\"");
  CHECK(in_csv("say \"x\"") == "\"say \"\"x\"\"\"");
}

TEST_CASE("a CSV field is never a spreadsheet's formula, and a number stays one") {
  CHECK(in_csv("=1+1") == "'=1+1");
  CHECK(in_csv("+cmd|' /C calc'!A0") == "'+cmd|' /C calc'!A0");
  CHECK(in_csv("-1+1") == "'-1+1");
  CHECK(in_csv("@SUM(A1:A9)") == "'@SUM(A1:A9)");
  CHECK(in_csv("=HYPERLINK(\"http://x\",\"y\")") == "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"");
  CHECK(in_csv("\t=1").find("'") == 0);
  CHECK(in_csv("\r=1").find("'") == 0);
  for (const char* number : {"-12.5", "-1e-300", "-0", "-Infinity", "3", "", "a=b", "1-2"})
    CHECK(in_csv(number) == number);
}

TEST_CASE("a string for gnuplot ends where it should and runs nothing") {
  CHECK(in_gnuplot("it's") == "'it''s'");
  CHECK(in_gnuplot("`rm`").find('`') == std::string::npos);
  CHECK(in_gnuplot_tic("5 %") == "'5 %%'");
}

TEST_CASE("invalid bytes and hidden directions are made visible") {
  CHECK(in_html("a\xff") == "a\xEF\xBF\xBD");
  CHECK(in_html("a\u202eb") == "a\\u202eb");
}

TEST_CASE("a file name holds nothing but letters, digits, dashes and underscores") {
  CHECK(in_file_name("val/loss 1") == "val-loss-1");
  CHECK(in_file_name("../..") == "-----");
  CHECK(in_file_name("") == "unnamed");
}

TEST_CASE("raw HTML and script links in Markdown are dropped") {
  const std::string html = body_of("<b onclick=x>hi</b>\n\n[go](javascript:alert(1))\n");
  CHECK(html.find("onclick") == std::string::npos);
  CHECK(html.find("javascript:") == std::string::npos);
}

TEST_CASE("a page of HTML brings its styles and pictures along and allows nothing else") {
  const std::string page =
      html_page({"A & B {{body}}", "![alt](evidence/figures/x.svg)", {}, false, [](const std::string& path) {
                   return path == "evidence/figures/x.svg" ? "<svg/>" : "";
                 }});
  CHECK(page.find("<title>A &amp; B {{body}}</title>") != std::string::npos);
  CHECK(page.find("src=\"data:image/svg+xml;base64,PHN2Zy8+\" alt=\"alt\"") != std::string::npos);
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.find("http://") == std::string::npos);
  CHECK(page.find("https://") == std::string::npos);
  CHECK(page.find("<script") == std::string::npos);
}

TEST_CASE("a page that stands alone asks for nothing: pictures that it does not have are their words") {
  const auto alone = [](const std::string& markdown) {
    const std::string page = html_page({"t", markdown, {"C1"}, true, {}});
    const auto from = page.find("<main>") + 7, to = page.find("</main>");
    return page.substr(from, to - from);
  };
  CHECK(alone("![a \"b\"](http://elsewhere.test/p.png \"t\")") == "<p>a &quot;b&quot;</p>\n");
  CHECK(alone("![](figure1.png)x") == "<p>x</p>\n");
  CHECK(alone("[![a](p.png)](q.md)") == "<p>a</p>\n");
  CHECK(alone("[a](q.md) [b](https://x.test)") == "<p>a <a href=\"https://x.test\">b</a></p>\n");
  CHECK(alone("| a |\n|---|\n| C1: x |\n").find("<td><a href=\"#C1\">C1</a>: x</td>") != std::string::npos);
  CHECK(alone("### C1: x\n\n### C2: y") == "<h3 id=\"C1\">C1: x</h3>\n<h3>C2: y</h3>\n");
}

TEST_CASE("a page of a hundred thousand claims is dressed in one pass") {
  struct Page {
    std::string markdown;
    HtmlInput input{"t", "", {}, true, {}};
  };
  const auto page_of = [](int claims) {
    auto page = std::make_unique<Page>();
    for (int i = 0; i < claims; ++i) {
      page->input.anchors.push_back("C" + std::to_string(i));
      page->markdown += "### C" + std::to_string(i) + ": x\n\n";
    }
    page->input.markdown = page->markdown;
    return page;
  };
  CHECK(tests::growth(25'000, page_of, [](const auto& page) {
          const std::string last = "<h3 id=\"" + page->input.anchors.back() + "\">";
          CHECK(html_page(page->input).find(last) != std::string::npos);
        }) < tests::linear);
}
