#pragma once
// Makes LaTeX, for pdfLaTeX with UTF-8 and T1 fonts, of plain text and of our own Markdown. Commands in the text are
// escaped. A character that the fonts lack becomes [U+XXXX]. Thread-safe; pure.

#include <string>
#include <string_view>

namespace artifacts {

/// The document class and the packages that what is made here needs, up to the title.
std::string latex_preamble();
/// One line of text; no command, group, ligature or optional argument comes of it.
std::string in_latex(std::string_view text);
/// The same in a typewriter font, which may be broken after punctuation and within long words.
std::string in_latex_code(std::string_view text);
/// The same within the value of a BibTeX field: as one piece, whose letters keep their case.
std::string in_bibtex(std::string_view text);
/// The same for a person's name, which BibTeX takes apart.
std::string in_bibtex_name(std::string_view name);

/// CommonMark with tables. Headings of level 2 become sections, deeper ones subsections; links become their text, and
/// pictures their descriptions; raw HTML is dropped.
std::string latex_of_markdown(std::string_view markdown);

}  // namespace artifacts
