// Converts the fields of an entry to the work that they describe.
#include <cctype>

#include "prose/characters.h"
#include "studyfile/literature/bibtex.h"

namespace studyfile {

namespace {

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

}  // namespace

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

}  // namespace studyfile
