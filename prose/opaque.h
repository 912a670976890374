#pragma once
// Parts of a text that are not read as prose: references to values, addresses on the web, code, citations. Pure; any
// bytes are taken.

#include <cstddef>
#include <string_view>
#include <vector>

namespace prose {

/// How the text will be shown. Only in Markdown is there code; in a plain field backquotes are but characters.
enum class Markup { plain, markdown };

struct Span {
  enum class Kind { reference, url, code, citation } kind = Kind::reference;
  std::size_t offset = 0, length = 0;

  std::size_t end() const { return offset + length; }
};

/// `{{ADDRESS}}`, also those that are not closed (they end with their line). In order.
std::vector<Span> references_in(std::string_view text);
/// The address between the braces, without blanks around it; of one that is not closed: empty.
std::string_view address_of(std::string_view text, const Span& reference);

/// All of them, in order, none overlapping. A code span that holds nothing but an amount ("`3.7 ms`") is none.
std::vector<Span> opaque_spans(std::string_view text, Markup);

}  // namespace prose
