#include "prose/citations.h"

#include <algorithm>

#include <fmt/format.h>

#include "prose/nearest.h"

namespace prose {

namespace {

std::string advice(const std::string& key, const Facts& facts) {
  if (facts.works.empty()) return "the study lists no references, so nothing can be cited";
  const std::string near = nearest(key, {facts.works.begin(), facts.works.end()});
  return near.empty() ? "cite a work that the study's references list, by its key"
                      : fmt::format("did you mean `@{}`?", near);
}

void check(std::string_view text, std::size_t from, std::size_t length, const Facts& facts,
           std::vector<Finding>& findings) {
  const std::string key(text.substr(from, length));
  if (!facts.works.contains(key))
    findings.push_back({Kind::citation, from, length, "is an unbound citation", advice(key, facts)});
}

}  // namespace

void find_citations(std::string_view text, const std::vector<Token>& list, const Facts& facts,
                    std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Token& t = list[i];
    if (t.is("al") && i > 0 && list[i - 1].is("et")) {
      findings.push_back({Kind::citation, t.offset, t.length, "ends a citation that names no key", advice("", facts)});
      continue;
    }
    if (t.kind != Token::Kind::citation) continue;
    if (t.text[0] == '@') {
      check(text, t.offset + 1, t.length - 1, facts, findings);
      continue;
    }
    const std::size_t end = t.offset + t.length - 1;
    bool any = false;
    for (std::size_t at = text.find('{', t.offset) + 1; at < end;) {
      const std::size_t stop = std::min(text.find(',', at), end);
      const std::size_t first = std::min(text.find_first_not_of(" \t", at), stop);
      std::size_t last = stop;
      while (last > first && (text[last - 1] == ' ' || text[last - 1] == '\t')) --last;
      if (last > first) check(text, first, last - first, facts, findings), any = true;
      at = stop + 1;
    }
    if (!any) findings.push_back({Kind::citation, t.offset, t.length, "cites nothing", advice("", facts)});
  }
}

}  // namespace prose
