#include "kernel/domain/tagging.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"

namespace kernel {

namespace {

/// Blanks, control characters, and marks that are not seen or change the direction of text.
bool is_invisible(char32_t c) {
  return c <= U' ' || (c >= 0x7f && c <= 0xa0) || c == 0xad || c == 0x061c || c == 0x1680 || c == 0x180e ||
         (c >= 0x2000 && c <= 0x200f) || (c >= 0x2028 && c <= 0x202f) || (c >= 0x205f && c <= 0x206f) || c == 0x3000 ||
         c == 0xfeff || (c >= 0xe0000 && c <= 0xe007f);
}

Problem problem_of(std::string_view tag, std::string why, std::string todo) {
  const std::string_view shown = utf8_prefix(tag, longest_tag);
  return {"", 0, fmt::format("tag `{}{}`", shown, shown.size() < tag.size() ? "…" : ""), std::move(why),
          std::move(todo)};
}

}  // namespace

std::optional<Problem> wrong_tag(std::string_view tag) {
  const std::string wanted = "use one word, such as `night` or `lr-sweep`";
  if (tag.empty()) return problem_of(tag, "is empty", wanted);
  if (tag.size() > longest_tag) return problem_of(tag, fmt::format("is longer than {} bytes", longest_tag), wanted);
  if (!valid_utf8(tag)) return Problem{"", 0, "a tag", "is not UTF-8", wanted};
  if (tag.front() == '+' || tag.front() == '-')
    return problem_of(tag, fmt::format("begins with `{}`", tag.front()), wanted);
  for (std::size_t at = 0; at < tag.size(); at += utf8_at(tag, at).length) {
    const char32_t code = utf8_at(tag, at).code;
    if (code == U',') return problem_of(tag, "has a comma", wanted);
    if (code == U' ') return problem_of(tag, "has a blank", wanted);
    if (is_invisible(code))
      return problem_of(tag, fmt::format("has an invisible character (U+{:04X})", static_cast<unsigned>(code)), wanted);
  }
  return std::nullopt;
}

std::optional<Problem> wrong_tagging(const Tagging& change) {
  for (const auto* tags : {&change.added, &change.removed})
    for (const std::string& tag : *tags)
      if (auto problem = wrong_tag(tag)) return problem;
  for (const std::string& tag : change.added)
    if (std::ranges::find(change.removed, tag) != change.removed.end())
      return problem_of(tag, "is both added and removed", "do one of them");
  return std::nullopt;
}

}  // namespace kernel
