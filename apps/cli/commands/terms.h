#pragma once
// The terms of docs/glossary.md, for `etude help TERM`. Pure; any thread.

#include <optional>
#include <string>
#include <vector>

namespace cli {

/// A row of the glossary: its names, and what they mean, without Markdown.
struct Term {
  std::vector<std::string> names;
  std::string meaning;
};

/// In the order of the page.
std::vector<Term> terms();
/// Every meaning of the term, a line each; its case does not matter. None for a word that the glossary does not have.
std::optional<std::string> term_text(const std::string& name);
/// All names, a line for each row.
std::string all_terms_text();

}  // namespace cli
