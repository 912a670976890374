#include "artifacts/text/markdown_to_html.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

namespace artifacts {

namespace {

constexpr int options =
    CMARK_OPT_VALIDATE_UTF8;  // Without CMARK_OPT_UNSAFE, so raw HTML and unsafe links are left out.

template <typename T, auto Free>
struct Freed {
  void operator()(T* thing) const { Free(thing); }
};
template <typename T, auto Free>
using Owned = std::unique_ptr<T, Freed<T, Free>>;

struct Parsed {
  Owned<cmark_parser, cmark_parser_free> parser;
  Owned<cmark_node, cmark_node_free> document;
};

Parsed parsed(std::string_view markdown) {
  static std::once_flag once;
  std::call_once(once, [] { cmark_gfm_core_extensions_ensure_registered(); });
  Parsed p;
  p.parser.reset(cmark_parser_new(options));
  if (cmark_syntax_extension* table = cmark_find_syntax_extension("table"))
    cmark_parser_attach_syntax_extension(p.parser.get(), table);
  cmark_parser_feed(p.parser.get(), markdown.data(), markdown.size());
  p.document.reset(cmark_parser_finish(p.parser.get()));
  return p;
}

}  // namespace

std::string html_of_markdown(std::string_view markdown) {
  const Parsed p = parsed(markdown);
  const Owned<char, std::free> html(
      cmark_render_html(p.document.get(), options, cmark_parser_get_syntax_extensions(p.parser.get())));
  if (!html) throw std::runtime_error("the Markdown could not be rendered");
  return html.get();
}

std::vector<LinkTarget> links_of_markdown(std::string_view markdown) {
  const Parsed p = parsed(markdown);
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

}  // namespace artifacts
