#pragma once
// An artifact's paper as LaTeX sources: the sections of PAPER.md, with figures, cited works and, where the artifact has
// its event log, how to check and run it again. Every sentence about the study is one of PAPER.md. Reads only below the
// root; runs gnuplot for the figures.

#include <map>
#include <string>

#include "artifacts/read/model.h"
#include "artifacts/read/safe_root.h"

namespace artifacts {

inline constexpr const char* latex_file = "main.tex";
inline constexpr const char* bibtex_file = "references.bib";

struct LatexPaper {
  std::map<std::string, std::string> files;  ///< Path → bytes: main.tex, references.bib if works are cited, figures.
  std::string trouble;                       ///< Why figures are pixels; empty if they are not.
};

LatexPaper latex_paper(const SafeRoot&, const Artifact&);

}  // namespace artifacts
