#include "artifacts/text/parsed_markdown.h"

#include <mutex>

#include <cmark-gfm-core-extensions.h>

namespace artifacts {

ParsedMarkdown parsed_markdown(std::string_view markdown) {
  static std::once_flag once;
  std::call_once(once, [] { cmark_gfm_core_extensions_ensure_registered(); });
  ParsedMarkdown p;
  p.parser.reset(cmark_parser_new(markdown_options));
  if (cmark_syntax_extension* table = cmark_find_syntax_extension("table"))
    cmark_parser_attach_syntax_extension(p.parser.get(), table);
  cmark_parser_feed(p.parser.get(), markdown.data(), markdown.size());
  p.document.reset(cmark_parser_finish(p.parser.get()));
  return p;
}

}  // namespace artifacts
