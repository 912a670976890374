#include "kernel/domain/literature.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/utf8.h"
#include "prose/characters.h"

namespace kernel {

namespace {

std::vector<Passage> pages_of(std::string_view text) {
  std::vector<Passage> list;
  while (!text.empty()) {
    const std::size_t end = text.find('\f');
    list.push_back({fmt::format("p. {}", list.size() + 1), text.substr(0, end)});
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return list;
}

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Words in lower case (ASCII only), with their positions.
std::vector<std::pair<std::size_t, std::string>> spelled_words(std::string_view text) {
  std::vector<std::pair<std::size_t, std::string>> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_byte(text[end])) ++end;
    if (end > at) words.emplace_back(at, prose::lowered(std::string(text.substr(at, end - at))));
    at = std::max(end, at + 1);
  }
  return words;
}

}  // namespace

std::vector<Passage> passages(std::string_view text) {
  constexpr std::size_t lines_in_passage = 80;
  if (text.find('\f') != text.npos) return pages_of(text);
  std::vector<Passage> list;
  for (std::size_t line = 1; !text.empty();) {
    std::size_t end = 0, lines = 0;
    for (; lines < lines_in_passage && end < text.size(); ++lines) {
      const std::size_t stop = text.find('\n', end);
      end = stop == text.npos ? text.size() : stop + 1;
    }
    list.push_back({fmt::format("l. {}-{}", line, line + lines - 1), text.substr(0, end)});
    text.remove_prefix(end);
    line += lines;
  }
  return list;
}

std::string described(const Work& work) {
  constexpr std::size_t most_authors = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(work.authors.size(), most_authors); ++i) {
    std::string name = work.authors[i];
    if (const std::size_t comma = name.find(','); comma != name.npos) {
      const std::size_t first = name.find_first_not_of(' ', comma + 1);
      name = (first == name.npos ? "" : name.substr(first) + " ") + name.substr(0, comma);
    }
    const bool last = i + 1 == work.authors.size();
    text += (i == 0 ? "" : last ? " and " : ", ") + name;
  }
  if (work.authors.size() > most_authors) text += " and others";
  for (const std::string* part : {&work.title, &work.venue, &work.year})
    if (!part->empty()) text += (text.empty() ? "" : ", ") + *part;
  return text;
}

std::string surname(const std::string& author) {
  std::string name = author.substr(0, author.find(','));
  if (name.size() == author.size()) name = author.substr(author.rfind(' ') + 1);
  // "van der Berg" is often cited as Berg.
  name = name.substr(name.rfind(' ') + 1);
  std::string plain;
  for (const prose::Character& c : prose::characters(name))
    if (const char letter = prose::folded(c.code)) plain += letter;
  return plain;
}

std::string excerpt(std::string_view text, std::string_view words, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::set<std::string> wanted;
  for (auto& [at, word] : spelled_words(words)) wanted.insert(std::move(word));
  // Of all windows that begin shortly before a match, take the one with most different words.
  std::vector<std::pair<std::size_t, std::string>> found;
  for (auto& entry : spelled_words(text))
    if (wanted.contains(entry.second)) found.push_back(std::move(entry));
  const std::size_t before = most / 4;
  std::size_t best = 0, most_words = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t from = found[i].first > before ? found[i].first - before : 0;
    std::set<std::string_view> here;
    for (std::size_t k = i; k < found.size() && found[k].first < from + most; ++k) here.insert(found[k].second);
    if (here.size() > most_words) {
      most_words = here.size();
      best = from;
    }
    if (most_words == wanted.size()) break;
  }
  best = std::min(best, text.size() - most);
  std::size_t end = best + most;
  while (best > 0 && best < text.size() && !begins_utf8(text[best])) ++best;
  while (end < text.size() && end > best && !begins_utf8(text[end])) --end;
  return (best > 0 ? "…" : "") + std::string(text.substr(best, end - best)) + (end < text.size() ? "…" : "");
}

}  // namespace kernel
