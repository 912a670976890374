#pragma once
// CommonMark with GitHub's tables as a tree of cmark. Thread-safe; the caller owns the tree.

#include <memory>
#include <string_view>

#include <cmark-gfm.h>

namespace artifacts {

/// Without CMARK_OPT_UNSAFE, so raw HTML and unsafe links are left out.
inline constexpr int markdown_options = CMARK_OPT_VALIDATE_UTF8;

template <typename T, auto Free>
struct Freed {
  void operator()(T* thing) const { Free(thing); }
};
template <typename T, auto Free>
using Owned = std::unique_ptr<T, Freed<T, Free>>;

struct ParsedMarkdown {
  Owned<cmark_parser, cmark_parser_free> parser;
  Owned<cmark_node, cmark_node_free> document;
};

/// Invalid UTF-8 becomes U+FFFD.
ParsedMarkdown parsed_markdown(std::string_view markdown);

}  // namespace artifacts
