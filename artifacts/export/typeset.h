#pragma once
// Makes a PDF of LaTeX sources with the machine's pdfLaTeX and BibTeX: without a shell, in a temporary folder that is
// the only place TeX writes to, within limits of time and memory. Blocks the calling thread.

#include <map>
#include <string>

namespace artifacts {

struct Typeset {
  std::string pdf;  ///< Empty if there is none.
  std::string why, todo;
};

/// `files`: path → bytes, with main.tex. `search_path`: like PATH.
Typeset typeset(const std::map<std::string, std::string>& files, const std::string& search_path);

}  // namespace artifacts
