#pragma once
// Parts of a text that are not read as prose: references to values, web addresses, code, citations. Pure; takes any
// bytes.

#include <cstddef>
#include <string_view>
#include <vector>

namespace prose {

/// How the text will be shown. Code exists only in Markdown; in plain text backquotes are ordinary characters.
enum class Markup { plain, markdown };

struct Span {
  enum class Kind { reference, url, code, citation } kind = Kind::reference;
  std::size_t offset = 0, length = 0;

  std::size_t end() const { return offset + length; }
};

/// All `{{ADDRESS}}` in order. One that is not closed ends with its line.
std::vector<Span> references_in(std::string_view text);
/// The address between the braces, trimmed; empty if the reference is not closed.
std::string_view address_of(std::string_view text, const Span& reference);

/// All opaque spans in order, without overlaps. A code span that holds only an amount ("`3.7 ms`") is not opaque.
std::vector<Span> opaque_spans(std::string_view text, Markup);

}  // namespace prose
