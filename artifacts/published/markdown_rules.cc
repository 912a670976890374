#include "artifacts/published/markdown_rules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "artifacts/published/load_tree.h"
#include "artifacts/text/untrusted_text.h"
#include "base/utf8.h"

namespace artifacts::published {
namespace {

constexpr std::string_view blanks = " \t\r\f\v";

std::string_view without_indent(std::string_view line) {
  const auto start = line.find_first_not_of(blanks);
  return start == line.npos ? std::string_view() : line.substr(start);
}

/// What follows `## `, which may be indented.
std::optional<std::string_view> second_level(std::string_view line) {
  line = without_indent(line);
  if (!line.starts_with("## ")) return std::nullopt;
  return line.substr(3);
}

bool is_numbered(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) && text.size() > prefix.size() &&
         text.find_first_not_of("0123456789", prefix.size()) == text.npos;
}

struct Heading {
  std::string_view id, title;
};

/// `ID: title`.
std::optional<Heading> numbered_heading(std::string_view line, std::string_view prefix) {
  const auto text = second_level(line);
  const auto colon = text ? text->find(':') : std::string_view::npos;
  if (colon == std::string_view::npos) return std::nullopt;
  const Heading heading{trimmed(text->substr(0, colon)), trimmed(text->substr(colon + 1))};
  if (!is_numbered(heading.id, prefix)) return std::nullopt;
  return heading;
}

struct Labelled {
  std::string_view label, value;
};

/// `- **Label**: value`; with `plain`, also `- Label: value`.
std::optional<Labelled> labelled(std::string_view line, bool plain) {
  line = without_indent(line);
  if (!line.starts_with("- ") && !line.starts_with("* ")) return std::nullopt;
  line = without_indent(line.substr(2));
  const bool bold = line.starts_with("**");
  if (bold) {
    const auto end = line.find("**", 2);
    if (end == line.npos) return std::nullopt;
    std::string_view value = without_indent(line.substr(end + 2));
    if (value.starts_with(':')) value.remove_prefix(1);
    return Labelled{trimmed(line.substr(2, end - 2)), trimmed(value)};
  }
  const auto colon = line.find(':');
  if (!plain || colon == line.npos) return std::nullopt;
  return Labelled{trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1))};
}

bool starts_with_word(std::string_view text, std::string_view word) {
  return same_word(text.substr(0, word.size()), word);
}

std::vector<std::string> claim_ids_in(std::string_view text) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_alnum(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_alnum(text[end])) ++end;
    if (const std::string_view word = text.substr(i, end - i); is_claim_id(word)) ids.emplace_back(word);
    i = end;
  }
  return ids;
}

/// The part of a page from one `## ` heading to the next: its heading's line and the lines below.
template <typename Take>
void for_each_section(std::string_view text, Take take) {
  const std::vector<std::string_view> lines = lines_in(text);
  for (std::size_t i = 0; i < lines.size();) {
    if (!second_level(lines[i])) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < lines.size() && !second_level(lines[end])) ++end;
    take(static_cast<int>(i) + 1, lines[i], std::span(lines).subspan(i + 1, end - i - 1));
    i = end;
  }
}

using Body = std::span<const std::string_view>;

// The evidence index.

bool is_row(std::string_view line) {
  return without_indent(line).starts_with('|');
}

bool is_rule(std::string_view line) {
  line = trimmed(line);
  return line.starts_with('|') && line.find('-') != line.npos && line.find_first_not_of("-|: \t") == line.npos;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|')) line.remove_suffix(1);
  std::vector<std::string_view> cells;
  for (;;) {
    const auto bar = line.find('|');
    cells.push_back(trimmed(line.substr(0, bar)));
    if (bar == line.npos) return cells;
    line.remove_prefix(bar + 1);
  }
}

bool has_word(std::string_view text, std::string_view word) {
  return std::ranges::search(text, word, [](char a, char b) {
           return same_word({&a, 1}, {&b, 1});
         }).begin() != text.end();
}

/// Letters and digits only.
bool is_suffix_text(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_alnum);
}

/// "tables/t1.md", "`t1.md`", "fig (png/md)"; a plain text is none.
bool is_path(std::string_view text) {
  if (text.empty()) return false;
  for (const std::string_view mark : {"/", "(png", "(md"})
    if (text.find(mark) != text.npos) return true;
  const auto dot = text.rfind('.');
  if (dot == text.npos || dot == 0) return false;
  const std::string_view suffix = text.substr(dot + 1);
  return text.substr(0, dot).find(' ') == text.npos && suffix.size() <= 5 && is_suffix_text(suffix);
}

/// The name without folder and suffix; "fig.(png/md)" is "fig".
std::string_view stem_of(std::string_view path) {
  path = trimmed(path);
  if (const auto open = path.rfind('('); open != path.npos && path.ends_with(')')) {
    const std::string_view both = path.substr(open);
    if (both.find("md") != both.npos || both.find("png") != both.npos || both.find('/') != both.npos) {
      path = path.substr(0, open);
      while (path.ends_with(' ') || path.ends_with('.')) path.remove_suffix(1);
    }
  }
  if (const auto slash = path.find_last_of("/\\"); slash != path.npos) path.remove_prefix(slash + 1);
  path = trimmed(path);
  const auto dot = path.rfind('.');
  if (dot != path.npos && dot > 0 && is_suffix_text(path.substr(dot + 1))) return path.substr(0, dot);
  return path;
}

/// "t1-as-in-the-text" of "T1, as in the text".
std::string dashed(std::string_view text) {
  std::string result;
  std::size_t characters = 0;
  for (const char c : text) {
    if (kernel::begins_utf8(c) && ++characters > 48) break;
    if (is_alnum(c))
      result += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    else if (!result.empty() && result.back() != '-')
      result += '-';
  }
  while (result.ends_with('-')) result.pop_back();
  return result;
}

struct IndexedPage {
  std::string stem;
  bool names_file = false;  ///< Otherwise the row is prose, whose name no page need have.
  int line = 0;
};

std::optional<IndexedPage> indexed_page(std::string_view cell, int line) {
  if (cell.empty()) return std::nullopt;
  const auto link = cell.find("](");
  const auto close = link == cell.npos ? link : cell.find(')', link);
  IndexedPage page{{}, true, line};
  if (close != cell.npos && !trimmed(cell.substr(link + 2, close - link - 2)).empty()) {
    page.stem = stem_of(cell.substr(link + 2, close - link - 2));
  } else {
    std::string_view bare = cell;
    while (bare.starts_with('`')) bare.remove_prefix(1);
    while (bare.ends_with('`')) bare.remove_suffix(1);
    bare = trimmed(bare);
    page.names_file = is_path(bare);
    page.stem = page.names_file ? std::string(stem_of(bare)) : dashed(cell);
  }
  if (page.stem.empty()) return std::nullopt;
  return page;
}

std::vector<IndexedPage> index_of(std::string_view text) {
  const std::vector<std::string_view> lines = lines_in(text);
  std::vector<IndexedPage> pages;
  for (std::size_t i = 0; i < lines.size();) {
    if (!is_row(lines[i]) || i + 1 == lines.size() || !is_rule(lines[i + 1])) {
      ++i;
      continue;
    }
    const std::vector<std::string_view> header = cells_of(lines[i]);
    const auto column = std::ranges::find_if(header, [](std::string_view cell) { return has_word(cell, "file"); });
    const auto at = column == header.end() ? std::size_t{0} : static_cast<std::size_t>(column - header.begin());
    for (i += 2; i < lines.size() && is_row(lines[i]); ++i) {
      const std::vector<std::string_view> cells = cells_of(lines[i]);
      if (at >= cells.size()) continue;
      if (auto page = indexed_page(cells[at], static_cast<int>(i) + 1)) pages.push_back(std::move(*page));
    }
  }
  return pages;
}

}  // namespace

bool is_claim_id(std::string_view text) {
  return is_numbered(text, "C");
}

std::vector<std::string_view> lines_in(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (end != text.npos && line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

Claims claims_in(std::string_view text) {
  Claims result;
  std::set<std::string_view> seen;
  for_each_section(text, [&](int line, std::string_view heading, Body body) {
    const auto header = numbered_heading(heading, "C");
    if (!header || header->title.empty()) return;
    PublishedClaim claim{std::string(header->id), line, {}, line};
    for (std::size_t i = 0; i < body.size(); ++i) {
      const auto field = labelled(body[i], false);
      if (!field || !same_word(field->label, "dependencies")) continue;
      claim.depends_on = claim_ids_in(field->value);
      claim.dependencies_line = line + 1 + static_cast<int>(i);
    }
    (seen.insert(header->id).second ? result.claims : result.repeated).push_back(std::move(claim));
  });
  return result;
}

void judge_concepts(std::string_view text, std::vector<PublishedFact>& found) {
  for_each_section(text, [&](int line, std::string_view heading, Body body) {
    bool defined = false;
    for (const std::string_view one : body)
      if (const auto field = labelled(one, true); field && starts_with_word(field->label, "definition"))
        defined = !field->value.empty();
    if (!defined)
      found.push_back({Code::ARA211, concepts_file, line,
                       fmt::format("the concept {} has no definition", quote(trimmed(*second_level(heading))))});
  });
}

void judge_related_work(std::string_view text, std::vector<PublishedFact>& found) {
  for_each_section(text, [&](int line, std::string_view heading, Body body) {
    const auto header = numbered_heading(heading, "RW");
    if (!header) return;
    bool identified = false;
    for (const std::string_view one : body)
      if (const auto field = labelled(one, true); field && starts_with_word(field->label, "doi"))
        identified = !field->value.empty();
    if (!identified)
      found.push_back(
          {Code::ARA212, related_work_file, line, fmt::format("the related work {} has no DOI", quote(header->id))});
  });
}

void judge_paper(std::string_view text, std::vector<PublishedFact>& found) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::vector<std::string_view> lines = lines_in(text);
  std::size_t open = 0;
  while (open < lines.size() && trimmed(lines[open]).empty()) ++open;
  if (open == lines.size() || trimmed(lines[open]) != "---") return;
  std::size_t close = open + 1;
  while (close < lines.size() && trimmed(lines[close]) != "---") ++close;
  if (close == lines.size()) return;
  const char* begin = lines[open].data() + lines[open].size();
  const std::string_view yaml(begin, static_cast<std::size_t>(lines[close].data() - begin));
  if (const auto trouble = front_matter_trouble(clean(yaml).text, static_cast<int>(open) + 1))
    found.push_back({Code::ARA210, paper_file, trouble->line, trouble->why});
}

void judge_evidence(const Pages& pages, std::vector<PublishedFact>& found) {
  const std::vector<IndexedPage> index =
      pages.evidence_index ? index_of(*pages.evidence_index) : std::vector<IndexedPage>();
  std::set<std::string_view> listed;
  for (const IndexedPage& page : index) listed.insert(page.stem);
  std::map<std::string_view, std::string_view> first;  // stem → category
  for (const EvidencePage& page : pages.evidence) {
    const std::string file = fmt::format("evidence/{}/{}.md", page.category, page.stem);
    const auto [place, is_new] = first.emplace(page.stem, page.category);
    if (!is_new && place->second != page.category)
      found.push_back({Code::ARA213, file, 0,
                       fmt::format("the name {} is used in evidence/{}, too", quote(page.stem), place->second)});
    if (!listed.contains(page.stem))
      found.push_back({Code::ARA214, file, 0, "evidence/README.md has no row for this page"});
  }
  for (const IndexedPage& page : index)
    if (page.names_file && !first.contains(page.stem))
      found.push_back({Code::ARA215, evidence_index_file, page.line,
                       fmt::format("the row names {}, which is no page of evidence", quote(page.stem))});
}

}  // namespace artifacts::published
