#pragma once
// BibTeX's files, as Patashnik describes them ("BibTeXing", 1988): entries, @string, @comment, @preamble, values in
// braces or quotation marks joined by `#`. Strict: what BibTeX would warn of is refused. TeX in the values becomes
// plain text. Any bytes may come. Pure.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/literature.h"

namespace studyfile {

struct Bibliography {
  std::vector<kernel::Work> works;
  int line = 0;       ///< Of what is wrong.
  std::string wrong;  ///< Empty: nothing is.
};

Bibliography read_bibtex(std::string_view text);

/// By their names, in lower case, as they are written.
using BibFields = std::map<std::string, std::string>;
/// `type`: in lower case.
kernel::Work work_of(const std::string& type, const std::string& key, const BibFields&);

/// Without commands and braces; letters with accents as one character.
std::string plain_tex(std::string_view tex);

}  // namespace studyfile
