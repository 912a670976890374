#include "prose/lint.h"

#include <algorithm>

#include "prose/characters.h"
#include "prose/citations.h"
#include "prose/directions.h"
#include "prose/numerals.h"
#include "prose/overclaims.h"

namespace prose {

namespace {

void find_hidden(const std::vector<Token>& list, std::vector<Objection>& findings) {
  for (const Token& t : list) {
    if (t.kind != Token::Kind::hidden) continue;
    const std::vector<Character> inside = characters(t.text);
    const bool number = inside.size() == 1 && numeric(inside.front().code);
    const bool mixed = inside.size() > 1;
    findings.push_back({number ? Kind::number : Kind::unreadable, t.offset, t.length,
                        number  ? "is an unsupported number"
                        : mixed ? "mixes Latin and Greek letters that look alike"
                                : "is a character that not everybody reads the same way",
                        "write English with plain letters; names of the study stay as they are"});
  }
}

/// Finds text that is shown differently from how it is written.
void find_disguises(std::string_view text, const std::vector<Token>& list, Markup markup,
                    std::vector<Objection>& findings) {
  for (std::size_t i = 0; i + 1 < list.size(); ++i) {
    const Token& t = list[i];
    if (t.kind != Token::Kind::sign || !list[i + 1].glued) continue;
    if (t.is("&")) {
      const std::size_t end = text.find_first_of("; \n", t.offset);
      const std::string_view entity = end == std::string_view::npos || text[end] != ';'
                                          ? std::string_view()
                                          : text.substr(t.offset, end + 1 - t.offset);
      constexpr std::size_t longest = 34;
      if (entity.size() > 2 && entity.size() < longest && entity != "&amp;" && entity != "&lt;" && entity != "&gt;" &&
          entity != "&quot;")
        findings.push_back(
            {Kind::unreadable, t.offset, entity.size(), "is a character in disguise", "write the character itself"});
    }
    const bool tag =
        list[i + 1].kind == Token::Kind::word || list[i + 1].is("/") || list[i + 1].is("!") || list[i + 1].is("?");
    if (markup == Markup::markdown && t.is("<") && tag)
      findings.push_back({Kind::unreadable, t.offset, t.length, "begins a tag of HTML", "write Markdown"});
  }
}

}  // namespace

std::vector<Objection> lint(std::string_view text, const Facts& facts, const Rules& rules) {
  std::vector<Objection> findings;
  const std::vector<Token> list = tokens(text, rules.markup, facts);
  find_hidden(list, findings);
  find_disguises(text, list, rules.markup, findings);
  find_numerals(text, list, facts, rules.markup, findings);
  find_number_words(list, facts, findings);
  find_citations(text, list, facts, findings);
  if (rules.directions) {
    find_directions(list, facts, findings);
    find_verdicts(list, facts, findings);
  }
  if (rules.claims) find_overclaims(list, facts, rules.of, findings);
  std::ranges::stable_sort(findings, [](const Objection& a, const Objection& b) { return a.offset < b.offset; });
  return findings;
}

}  // namespace prose
