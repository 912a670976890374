#pragma once
// Extracts the text of a PDF with poppler's pdftotext, in a sandbox, because a PDF is untrusted. The sandbox has no
// network and only the system's files; memory, time and output are bounded.

#include <string>

namespace executors {

struct PaperText {
  std::string text;  ///< UTF-8; a form feed ends each page.
  std::string why;   ///< Why there is no text: "is encrypted", "has no text: …"; empty if there is.
  std::string todo;
  bool of_machine = false;  ///< The reason lies with this machine, not with the file.
};

/// `fd`: the file, read from its position. `search_path`: like PATH.
PaperText text_of_pdf(int fd, const std::string& search_path);

}  // namespace executors
