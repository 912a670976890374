#include "artifacts/read/layer_reader.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "artifacts/read/layer_markdown.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

struct Header {
  std::string_view id;
  std::string_view title;
  HeaderStyle style = HeaderStyle::none;
};

/// Accepts "C01", "[C01]", "**C01**" and "`C01`", then ":", any dash, "." or ")", or nothing.
std::optional<Header> header_of(std::string_view heading, std::span<const std::string_view> prefixes) {
  std::string_view rest = heading;
  while (!rest.empty() && (rest.front() == '[' || rest.front() == '*' || rest.front() == '`')) rest.remove_prefix(1);
  std::size_t letters = 0;
  while (letters < rest.size() && rest[letters] >= 'A' && rest[letters] <= 'Z') ++letters;
  std::size_t end = letters;
  while (end < rest.size() && is_digit(rest[end])) ++end;
  if (letters == 0 || end == letters) return std::nullopt;
  if (std::ranges::find(prefixes, rest.substr(0, letters)) == prefixes.end()) return std::nullopt;
  if (end < rest.size() && rest[end] >= 'a' && rest[end] <= 'z') ++end;
  if (end < rest.size() && is_alnum(rest[end])) return std::nullopt;
  Header header{.id = rest.substr(0, end), .title = {}};
  rest.remove_prefix(end);
  while (!rest.empty() && (rest.front() == ']' || rest.front() == '*' || rest.front() == '`')) rest.remove_prefix(1);
  rest = trimmed(rest);
  if (rest.empty()) return header;
  header.style = HeaderStyle::bare;
  for (const std::string_view mark : {":", "—", "–", "-", ".", ")"}) {
    if (!rest.starts_with(mark)) continue;
    header.style = mark == ":" || mark == "." || mark == ")" ? HeaderStyle::colon : HeaderStyle::dash;
    if (mark == "." || mark == ")") header.style = HeaderStyle::bare;
    while (rest.starts_with(mark)) {
      rest.remove_prefix(mark.size());
      if (header.style != HeaderStyle::dash) break;  // "--" is one dash, "::" a colon and a title that starts with one.
    }
    rest = trimmed(rest);
    break;
  }
  header.title = rest;
  return header;
}

/// "### Statement" with its text under a claim is the same as a field of that name.
void fold_into(Block& owner, Block& deeper) {
  Field field{deeper.heading, "", deeper.line, deeper.prose.empty() ? deeper.line : deeper.prose.front().line};
  if (field.name.ends_with(':')) field.name.pop_back();
  for (const Text& line : deeper.prose) field.text += (field.text.empty() ? "" : "\n") + line.text;
  owner.fields.push_back(std::move(field));
  std::move(deeper.fields.begin(), deeper.fields.end(), std::back_inserter(owner.fields));
  std::move(deeper.tables.begin(), deeper.tables.end(), std::back_inserter(owner.tables));
}

}  // namespace

Layer read_layer(std::string_view text, const std::string& file, std::span<const std::string_view> prefixes,
                 bool dash_fixable, Findings& findings) {
  Layer scanned = scan_markdown(text, file);
  Layer layer{.file = file, .present = true, .blocks = {}};
  for (Block& block : scanned.blocks) {
    if (const auto header = block.level > 0 ? header_of(block.heading, prefixes) : std::nullopt) {
      block.id = header->id;
      block.title = header->title;
      block.style = header->style;
      const auto what = fmt::format("header {} has {} between id and title", quote(block.heading),
                                    block.style == HeaderStyle::dash ? "a dash" : "no colon");
      if (block.style == HeaderStyle::dash && dash_fixable)
        findings.add_fixable(RuleId::dialect_header, file, block.line, what);
      else if (block.style == HeaderStyle::dash || block.style == HeaderStyle::bare)
        findings.add(RuleId::dialect_header, file, block.line, what);
    } else if (!layer.blocks.empty() && !layer.blocks.back().id.empty() && block.level > layer.blocks.back().level) {
      fold_into(layer.blocks.back(), block);
      continue;
    }
    layer.blocks.push_back(std::move(block));
  }
  return layer;
}

}  // namespace artifacts
