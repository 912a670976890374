#pragma once
// Reads BibTeX files, as Patashnik describes them ("BibTeXing", 1988): entries, @string, @comment, @preamble, values in
// braces or quotation marks joined by `#`. Strict: refuses what BibTeX would warn of. TeX in the values becomes plain
// text. Takes any bytes. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/literature.h"

namespace studyfile {

struct Bibliography {
  std::vector<kernel::Work> works;
  int line = 0;       ///< The line of the mistake.
  std::string wrong;  ///< Empty if nothing is wrong.
};

Bibliography read_bibtex(std::string_view text);

/// Text without commands and braces; accented letters become one character.
std::string plain_tex(std::string_view tex);

}  // namespace studyfile
