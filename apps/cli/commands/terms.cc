#include "apps/cli/commands/terms.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "embedded/cli_docs.h"

namespace cli {

namespace {

/// Links become their text, and backticks are left out.
std::string without_markdown(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') continue;
    const std::size_t middle = text[i] == '[' ? text.find("](", i) : text.npos;
    const std::size_t end = middle == text.npos ? text.npos : text.find(')', middle);
    if (end == text.npos) {
      plain += text[i];
      continue;
    }
    plain += without_markdown(text.substr(i + 1, middle - i - 1));
    i = end;
  }
  return plain;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The cells of a row of a table; none for another line. Cells have no escaped bars.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  if (!line.starts_with("| ")) return cells;
  std::istringstream parts(line.substr(1));
  for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(trimmed(cell));
  return cells;
}

}  // namespace

std::vector<Term> terms() {
  std::vector<Term> found;
  std::istringstream lines{std::string(embedded::cli_docs("glossary.md"))};
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 2 || cells[0] == "term" || cells[0] == "word") continue;
    Term term{{}, without_markdown(cells.back())};
    std::istringstream names(without_markdown(cells[0]));
    for (std::string name; std::getline(names, name, ',');) term.names.push_back(trimmed(name));
    found.push_back(std::move(term));
  }
  return found;
}

std::optional<std::string> term_text(const std::string& name) {
  std::string text;
  for (const Term& term : terms())
    if (std::ranges::any_of(term.names, [&](const std::string& one) { return lower(one) == lower(name); }))
      text += fmt::format("{}: {}\n", fmt::join(term.names, ", "), term.meaning);
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

std::string all_terms_text() {
  std::string text;
  for (const Term& term : terms()) text += fmt::format("{}\n", fmt::join(term.names, ", "));
  return text + "\n`etude help TERM` says what one means\n";
}

}  // namespace cli
