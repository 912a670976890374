// `authors` and `license`: who publishes the study, and on what terms.

#include <algorithm>
#include <cctype>

#include "studyfile/sections/sections.h"
#include "studyfile/sections/spdx_licenses.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {

namespace {

constexpr std::size_t longest_name = 200, longest_license = 100;

/// Four groups of four digits, of which the last may end with X, with its check digit (ISO/IEC 7064, MOD 11-2).
bool is_orcid(std::string_view text) {
  if (text.size() != 19) return false;
  int sum = 0, last = -1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i % 5 == 4) {
      if (c != '-') return false;
      continue;
    }
    const bool digit = c >= '0' && c <= '9';
    if (!digit && !(c == 'X' && i == 18)) return false;
    last = digit ? c - '0' : 10;
    if (i < 18) sum = (sum + last) * 2;
  }
  return (12 - sum % 11) % 11 == last;
}

std::optional<kernel::Author> read_author(const Value& value) {
  kernel::Author author;
  if (value.is_scalar()) {
    author.name = value.sentence().value_or("");
  } else {
    const auto fields = value.fields({"name", "orcid"});
    if (!fields) return std::nullopt;
    if (const auto name = fields->need("name", "give the author's name")) author.name = name->sentence().value_or("");
    if (const auto orcid = fields->find("orcid")) {
      author.orcid = orcid->spelling().value_or("");
      constexpr std::string_view address = "https://orcid.org/";
      if (author.orcid.starts_with(address)) author.orcid.erase(0, address.size());
      if (!author.orcid.empty() && !is_orcid(author.orcid))
        orcid->refuse("`" + shown(author.orcid) + "` is no ORCID iD", "write 16 digits such as 0000-0002-1825-0097");
    }
  }
  if (author.name.size() > longest_name) value.refuse("a name of more than 200 bytes", "write the name alone");
  return author.name.empty() ? std::nullopt : std::optional(std::move(author));
}

/// An SPDX expression, such as `MIT` or `Apache-2.0 OR MIT`. Warns of licences that are not on the list.
std::string read_spdx(const Value& value) {
  std::string text = value.sentence().value_or("");
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-.+:() ").find(c) != std::string_view::npos;
  };
  if (!std::ranges::all_of(text, allowed) || text.size() > longest_license) {
    value.refuse("`" + shown(text) + "` is no SPDX expression", "write one such as `MIT`, or `LicenseRef-mine`");
    return "";
  }
  for (const UnlistedLicense& one : unlisted_licenses(text))
    value.warn("`" + shown(one.written) + "` is not on the SPDX License List",
               one.listed.empty()
                   ? "write an identifier of https://spdx.org/licenses, or `LicenseRef-NAME` for a license "
                     "of your own"
                   : "did you mean `" + one.listed + "`?");
  return text;
}

}  // namespace

void read_authors(const Value& value, Draft& draft) {
  const auto list = value.list("authors");
  if (!list) return;
  if (list->empty()) value.refuse("an empty list", "name the authors, or leave it out");
  for (const Value& item : *list)
    if (auto author = read_author(item)) draft.spec.publication.authors.push_back(std::move(*author));
}

void read_license(const Value& value, Draft& draft) {
  kernel::Publication& terms = draft.spec.publication;
  if (value.is_scalar()) {
    terms.license = terms.code_license = terms.data_license = read_spdx(value);
    return;
  }
  const auto fields = value.fields({"study", "code", "data"});
  if (!fields) return;
  const auto read = [&](const char* key, std::string& license) {
    if (const auto given = fields->find(key)) license = read_spdx(*given);
  };
  read("study", terms.license);
  read("code", terms.code_license);
  read("data", terms.data_license);
}

}  // namespace studyfile
