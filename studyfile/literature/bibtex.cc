#include "studyfile/literature/bibtex.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/utf8.h"
#include "prose/characters.h"

namespace studyfile {

namespace {

/// Fields by name in lower case, with their values as written.
using BibFields = std::map<std::string, std::string>;

bool bib_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Whether a text can cite the key: `[@key]` ends where a key does.
bool is_citable(std::string_view key) {
  const auto inner = [](char c) {
    return bib_alnum(c) || std::string_view("_:.#$&-+?/").find(c) != std::string_view::npos;
  };
  const auto outer = [](char c) { return bib_alnum(c) || c == '_'; };
  return !key.empty() && key.size() <= 100 && outer(key.front()) && outer(key.back()) &&
         std::ranges::all_of(key, inner);
}

struct BadBib {
  std::string why;
};

class BibReader {
 public:
  explicit BibReader(std::string_view text) : text_(text) {}

  /// Moves past the next `@`; false if there is none.
  bool next_entry() {
    const std::size_t at = text_.find('@', at_);
    at_ = at == text_.npos ? text_.size() : at + 1;
    return at != text_.npos;
  }
  int line() {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
    counted_ = at_;
    return line_;
  }

  std::string name(const char* what) {
    blanks();
    const std::size_t from = at_;
    while (at_ < text_.size() &&
           (bib_alnum(text_[at_]) || std::string_view("_-+:.").find(text_[at_]) != std::string_view::npos))
      ++at_;
    if (at_ == from) throw BadBib{std::string("a ") + what + " is missing"};
    return prose::lowered(std::string(text_.substr(from, at_ - from)));
  }
  /// Reads up to a comma, a blank or the end.
  std::string key() {
    blanks();
    const std::size_t from = at_;
    while (at_ < text_.size() && std::string_view(", \t\r\n}=\"{").find(text_[at_]) == std::string_view::npos) ++at_;
    return std::string(text_.substr(from, at_ - from));
  }
  bool take(char c) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void need(char c, const char* where) {
    if (!take(c)) throw BadBib{fmt::format("`{}` is missing {}", c, where)};
  }
  /// Skips a group in braces.
  void skip_group() {
    if (take('{')) until('}');
  }
  std::string value(const BibFields& macros) {
    std::string whole;
    do {
      blanks();
      if (take('{'))
        whole += until('}');
      else if (take('"'))
        whole += until('"');
      else
        whole += bare(macros);
      if (whole.size() > longest) throw BadBib{fmt::format("a value is longer than {} bytes", longest)};
    } while (take('#'));
    return whole;
  }

 private:
  static constexpr int deepest = 100;
  static constexpr std::size_t longest = 20000;

  void blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  std::string until(char end) {
    const std::size_t from = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (at_ - from > longest) throw BadBib{fmt::format("a value is longer than {} bytes", longest)};
      if (c == end && depth == 0) {
        ++at_;
        return std::string(text_.substr(from, at_ - 1 - from));
      }
      if (c == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '{' || text_[at_ + 1] == '}')) {
        ++at_;
        continue;
      }
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (depth < 0) throw BadBib{"a `}` closes nothing"};
      if (depth > deepest) throw BadBib{"braces are nested too deeply"};
    }
    throw BadBib{end == '}' ? "a `{` is not closed" : "a quotation mark is not closed"};
  }
  std::string bare(const BibFields& macros) {
    const std::string word = key();
    if (word.empty()) throw BadBib{"a field has no value"};
    if (std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; })) return word;
    const auto found = macros.find(prose::lowered(word));
    if (found == macros.end())
      throw BadBib{fmt::format("`{}` is no @string: put the value between braces", word.substr(0, 60))};
    return found->second;
  }

  std::string_view text_;
  std::size_t at_ = 0, counted_ = 0;
  int line_ = 1;
};

BibFields months() {
  BibFields macros;
  for (const char* month : {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"})
    macros[month] = month;
  return macros;
}

std::vector<std::string> authors_of(const std::string& field) {
  std::vector<std::string> list;
  std::string name;
  int depth = 0;
  const auto end_name = [&] {
    if (std::string plain = plain_tex(name); !plain.empty() && plain != "others") list.push_back(std::move(plain));
    name.clear();
  };
  for (std::size_t at = 0; at < field.size(); ++at) {
    depth += field[at] == '{' ? 1 : field[at] == '}' ? -1 : 0;
    const bool blank = std::isspace(static_cast<unsigned char>(field[at])) != 0;
    if (depth == 0 && blank && prose::lowered(field.substr(at + 1, 3)) == "and" && at + 4 < field.size() &&
        std::isspace(static_cast<unsigned char>(field[at + 4])) != 0) {
      end_name();
      at += 3;
    } else {
      name += field[at];
    }
  }
  end_name();
  return list;
}

std::string doi_in(std::string text) {
  text = prose::lowered(text);
  const std::size_t at = text.find("10.");
  return at == text.npos || text.find('/', at) == text.npos ? "" : text.substr(at);
}

std::string arxiv_in(const BibFields& fields) {
  const auto field = [&](const char* name) {
    const auto at = fields.find(name);
    return at == fields.end() ? std::string() : prose::lowered(at->second);
  };
  std::string number;
  if (field("archiveprefix") == "arxiv" || field("eprinttype") == "arxiv") number = field("eprint");
  for (const char* name : {"eprint", "doi", "url", "journal", "note", "howpublished"}) {
    const std::string text = field(name);
    for (const std::string_view mark : {"arxiv.org/abs/", "arxiv.org/pdf/", "arxiv:", "arxiv."}) {
      const std::size_t at = text.find(mark);
      const bool counts = mark != "arxiv." || std::string_view(name) == "doi";
      if (number.empty() && at != text.npos && counts) number = text.substr(at + mark.size());
    }
  }
  number = number.substr(0, number.find_first_not_of("0123456789."));
  while (number.ends_with('.')) number.pop_back();
  return number.find('.') == number.npos ? "" : number;
}

/// The work that an entry describes. `type`: in lower case.
kernel::Work work_of(const std::string& type, const std::string& key, const BibFields& fields) {
  const auto field = [&](std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (const auto at = fields.find(name); at != fields.end() && !at->second.empty()) return at->second;
    return std::string();
  };
  kernel::Work work;
  work.key = key;
  work.type = type;
  work.title = plain_tex(field({"title"}));
  work.authors = authors_of(field({"author", "editor", "organization", "institution"}));
  work.year = plain_tex(field({"year", "date"})).substr(0, 10);
  work.venue =
      plain_tex(field({"journal", "journaltitle", "booktitle", "publisher", "school", "institution", "howpublished"}));
  work.doi = doi_in(field({"doi"}).empty() ? field({"url"}) : field({"doi"}));
  work.arxiv = arxiv_in(fields);
  const std::string url = field({"url"});
  const bool web = url.starts_with("https://") || url.starts_with("http://");
  if (web && url.find_first_of(" <>\"`\\{}") == url.npos) work.url = url;
  return work;
}

/// Reads an entry after its type.
kernel::Work read_entry(BibReader& reader, const std::string& type, const BibFields& macros) {
  const std::string key = reader.key();
  if (key.empty()) throw BadBib{"an entry has no key: @" + type + "{KEY, …}"};
  if (!is_citable(key))
    throw BadBib{fmt::format("`{}` is no key: use letters, digits and _ : . - + / inside", key.substr(0, 60))};
  BibFields fields;
  while (reader.take(',')) {
    if (reader.take('}')) return work_of(type, key, fields);
    const std::string name = reader.name("field's name");
    reader.need('=', ("behind `" + name.substr(0, 60) + "`").c_str());
    if (!fields.emplace(name, reader.value(macros)).second)
      throw BadBib{fmt::format("`{}` has `{}` twice", key, name.substr(0, 60))};
  }
  reader.need('}', ("at the end of `" + key + "` (or a comma before a field)").c_str());
  return work_of(type, key, fields);
}

}  // namespace

Bibliography read_bibtex(std::string_view text) {
  constexpr std::size_t most_works = 10000;
  Bibliography all;
  if (!kernel::valid_utf8(text)) return {{}, 1, "it is no text in UTF-8"};
  if (text.find('\0') != text.npos) return {{}, 1, "it holds NUL characters"};
  BibReader reader(text);
  BibFields macros = months();
  std::set<std::string> keys;
  try {
    while (reader.next_entry()) {
      const int line = reader.line();
      const std::string type = reader.name("type behind `@`");
      if (type == "comment" || type == "preamble") {
        reader.skip_group();
        continue;
      }
      reader.need('{', ("behind `@" + type.substr(0, 60) + "`").c_str());
      if (type == "string") {
        const std::string name = reader.name("@string's name");
        reader.need('=', "in @string");
        macros[name] = reader.value(macros);
        reader.need('}', "at the end of @string");
        continue;
      }
      kernel::Work work = read_entry(reader, type, macros);
      if (work.title.empty()) return {{}, line, fmt::format("`{}` has no title", work.key)};
      if (!keys.insert(work.key).second) return {{}, line, fmt::format("`{}` is listed twice", work.key)};
      if (all.works.size() >= most_works) return {{}, line, fmt::format("it lists more than {} works", most_works)};
      all.works.push_back(std::move(work));
    }
  } catch (const BadBib& wrong) {
    return {{}, reader.line(), wrong.why};
  }
  return all;
}

}  // namespace studyfile
