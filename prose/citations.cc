#include "prose/citations.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "prose/characters.h"
#include "prose/nearest.h"

namespace prose {

namespace {

std::string advice(const std::string& key, const Facts& facts) {
  if (facts.works.empty()) return "the study lists no references, so nothing can be cited";
  std::vector<std::string> keys;
  for (const auto& [known, work] : facts.works) keys.push_back(known);
  const std::string near = nearest(key, keys);
  return near.empty() ? "cite a work that the study's references list, by its key"
                      : fmt::format("did you mean `@{}`?", near);
}

void check(std::string_view text, std::size_t from, std::size_t length, const Facts& facts,
           std::vector<Objection>& findings) {
  const std::string key(text.substr(from, length));
  if (!facts.works.contains(key))
    findings.push_back({Kind::citation, from, length, "is an unbound citation", advice(key, facts)});
}

/// The form in which names are compared: "Kingma's" becomes "kingma".
std::string called(const Token& token) {
  std::string name = token.folded;
  for (const std::string_view ending : {"'s", "’s"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  std::erase_if(name, [](char c) { return c < 'a' || c > 'z'; });
  return name;
}

bool is_name(const Token& token) {
  return token.kind == Token::Kind::word && !token.text.empty() && prose::lowered(token.text) != token.text;
}

/// The key of another work by an author of this name. Empty if there is none, or if one of `keys` is by that author.
std::string other_work(const std::string& name, const std::set<std::string>& keys, const Facts& facts) {
  std::string other;
  for (const auto& [key, work] : facts.works) {
    if (!work.authors.contains(name)) continue;
    if (keys.contains(key)) return "";
    other = key;
  }
  return other;
}

/// Offset and length of each key that a citation names.
std::vector<std::pair<std::size_t, std::size_t>> keys_in(std::string_view text, std::size_t offset,
                                                         std::size_t length) {
  if (text[offset] == '@') return {{offset + 1, length - 1}};
  std::vector<std::pair<std::size_t, std::size_t>> keys;
  const std::size_t end = offset + length - 1;
  for (std::size_t at = text.find('{', offset) + 1; at < end;) {
    const std::size_t stop = std::min(text.find(',', at), end);
    const std::size_t first = std::min(text.find_first_not_of(" \t", at), stop);
    std::size_t last = stop;
    while (last > first && (text[last - 1] == ' ' || text[last - 1] == '\t')) --last;
    if (last > first) keys.emplace_back(first, last - first);
    at = stop + 1;
  }
  return keys;
}

/// Reports "Lee [@smith2020]" if Lee wrote another of the works; `begin` is the first citation in the brackets.
void find_misattribution(const std::vector<Token>& list, std::size_t begin, const Facts& facts,
                         std::vector<Objection>& findings) {
  std::set<std::string> keys;
  for (std::size_t i = begin; i < list.size(); ++i) {
    const Token& t = list[i];
    if (t.kind == Token::Kind::citation)
      for (const auto& [from, length] : keys_in(t.text, 0, t.text.size())) keys.insert(t.text.substr(from, length));
    else if (!t.is(";") && !t.is(","))
      break;
  }
  for (std::size_t i = begin; i-- > 0;) {
    const Token& t = list[i];
    if (t.is("[") || t.is("(") || t.is(",") || t.is("&") || t.is("and")) continue;
    const std::string other = is_name(t) ? other_work(called(t), keys, facts) : "";
    if (!other.empty())
      findings.push_back({Kind::citation, t.offset, t.length, "is no author of what is cited beside it",
                          fmt::format("cite `@{}`, or leave the name out", other)});
    if (!is_name(t)) break;
  }
}

/// The DOI or arXiv number in a web address; empty if it has none.
std::string identifier_in(std::string_view url) {
  const std::string address = prose::lowered(std::string(url));
  const std::size_t doi = address.find("/10.");
  if (doi != address.npos && address.find('/', doi + 4) != address.npos) return address.substr(doi + 1);
  for (const std::string_view host : {"://arxiv.org/", "://www.arxiv.org/", "://doi.org/", "://dx.doi.org/"}) {
    const std::size_t at = address.find(host);
    if (at == address.npos) continue;
    std::string rest = address.substr(at + host.size());
    for (const std::string_view view : {"abs/", "pdf/", "html/"})
      if (rest.starts_with(view)) rest.erase(0, view.size());
    if (rest.ends_with(".pdf")) rest.resize(rest.size() - 4);
    const std::size_t version = rest.rfind('v');
    if (version != rest.npos && version > 0 && rest.find_first_not_of("0123456789", version + 1) == rest.npos)
      rest.resize(version);
    return rest.empty() ? "?" : rest;
  }
  return "";
}

void check_address(const Token& url, const Facts& facts, std::vector<Objection>& findings) {
  const std::string identifier = identifier_in(url.text);
  if (identifier.empty()) return;
  for (const auto& [key, work] : facts.works)
    if (work.identifiers.contains(identifier)) return;
  findings.push_back({Kind::citation, url.offset, url.length,
                      "is the address of a work that the references do not list", advice("", facts)});
}

}  // namespace

std::vector<std::string> cited_keys(std::string_view text, Markup markup) {
  std::vector<std::string> list;
  for (const Span& span : opaque_spans(text, markup))
    if (span.kind == Span::Kind::citation)
      for (const auto& [from, length] : keys_in(text, span.offset, span.length))
        list.emplace_back(text.substr(from, length));
  return list;
}

void find_citations(std::string_view text, const std::vector<Token>& list, const Facts& facts,
                    std::vector<Objection>& findings) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Token& t = list[i];
    if (t.is("al") && i > 0 && list[i - 1].is("et")) {
      findings.push_back({Kind::citation, t.offset, t.length, "ends a citation that names no key", advice("", facts)});
      continue;
    }
    if (t.kind == Token::Kind::url) check_address(t, facts, findings);
    if (t.kind != Token::Kind::citation) continue;
    if (i == 0 || list[i - 1].kind != Token::Kind::citation) find_misattribution(list, i, facts, findings);
    const auto keys = keys_in(text, t.offset, t.length);
    for (const auto& [from, length] : keys) check(text, from, length, facts, findings);
    if (keys.empty()) findings.push_back({Kind::citation, t.offset, t.length, "cites nothing", advice("", facts)});
  }
}

}  // namespace prose
