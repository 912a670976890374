#pragma once
// The text of a PDF, by poppler's pdftotext in a sandbox: a PDF is a stranger's, and so is what it makes a parser do.
// No network, nothing of the machine but the system's programs, bounded memory, time and output.

#include <string>

namespace programs {

struct PaperText {
  std::string text;  ///< UTF-8; a form feed ends each page.
  std::string why;   ///< Why there is none: "is encrypted", "has no text: …"; empty: there is.
  std::string todo;
  bool of_machine = false;  ///< The reason lies with this machine, not with the file.
};

/// `fd`: the file, read from its position. `search_path`: like PATH.
PaperText text_of_pdf(int fd, const std::string& search_path);

}  // namespace programs
