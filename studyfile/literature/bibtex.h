#pragma once
// `corpus` and `references`: what agents may read, and the works that they may cite. Reads BibTeX files, as Patashnik
// describes them ("BibTeXing", 1988): entries, @string, @comment, @preamble, values in braces or quotation marks joined
// by `#`. Strict: refuses what BibTeX would warn of. TeX in the values becomes plain text. Takes any bytes. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/literature.h"
#include "studyfile/draft/draft.h"

namespace studyfile {

struct Bibliography {
  std::vector<kernel::Work> works;
  int line = 0;       ///< The line of the mistake.
  std::string wrong;  ///< Empty if nothing is wrong.
};

Bibliography read_bibtex(std::string_view text);

/// Text without commands and braces; accented letters become one character.
std::string plain_tex(std::string_view tex);

void read_corpus(const Value&, Draft&);
void read_references(const Value&, Draft&);

}  // namespace studyfile
